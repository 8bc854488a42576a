// A main for the authors' Euler tours, common ancestors and bridges (stobis/euler-meets-cuda), which trees_cuda.py runs:
//
//   euler tour FILE      N, root, N - 1 ends, N - 1 other ends: ranks of the tour's edges
//   euler lca FILE       N, N parents (-1 for the root), Q, 2 Q vertices, pair by pair
//   euler bridges FILE   N, M, N + 1 offsets, M neighbors, both directions of every edge, connected
//
// Files hold int32. Printed are `MEDIAN_MS t`, of five warm runs with all data on the GPU, their allocations included, and
// `SUM s`: of the ancestors, or the number of entries that are bridges. To build it, put the authors' src/ and include/, and moderngpu's src/ as
// mgpu/, beside this file; write __shfl_sync(0xffffffff, idx, 0) for __shfl(idx, 0) in src/ecl_cc.cu, and `false` for detailed_time in
// include/utils.h; then
//
//   nvcc -arch=sm_90 -O2 -std=c++17 --expt-extended-lambda -w -I mgpu -I include -o euler
//       src/{euler,lca,bfs,spanning_tree,bridges}.cu src/timer.cpp euler_peer.cu

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <moderngpu/context.hxx>
#include <moderngpu/memory.hxx>

#include "bridges.h"
#include "euler.h"
#include "lca.h"

static std::vector<int> read(std::ifstream &in, size_t numbers) {
    std::vector<int> found(numbers);
    in.read(reinterpret_cast<char *>(found.data()), sizeof(int) * numbers);
    return found;
}

template <typename Run> static void time_runs(Run run) {
    using clock = std::chrono::steady_clock;
    std::ostringstream unread;  // what the authors' timers print
    std::streambuf *shown = std::cout.rdbuf(unread.rdbuf());
    std::vector<double> ms;
    for (int round = 0; round < 6; round++) {
        cudaDeviceSynchronize();
        const auto began = clock::now();
        run();
        cudaDeviceSynchronize();
        if (round) ms.push_back(std::chrono::duration<double, std::milli>(clock::now() - began).count());
    }
    std::cout.rdbuf(shown);
    if (cudaGetLastError() != cudaSuccess) exit(1);
    std::sort(ms.begin(), ms.end());
    printf("MEDIAN_MS %.3f\n", ms[2]);
}

int main(int, char **given) {
    const std::string what = given[1];
    std::ifstream in(given[2], std::ios::binary);
    mgpu::standard_context_t context(false);
    const int n = read(in, 1)[0];
    long sum = 0;
    if (what == "tour") {
        const int root = read(in, 1)[0];
        auto from = mgpu::to_mem(read(in, n - 1), context), to = mgpu::to_mem(read(in, n - 1), context);
        mgpu::mem_t<int> rank(2 * n, context);
        time_runs([&] { cuda_euler_tour(n, root, from.data(), to.data(), rank.data(), context); });
    } else if (what == "lca") {
        auto parents = mgpu::to_mem(read(in, n), context);
        const int q = read(in, 1)[0];
        auto pairs = mgpu::to_mem(read(in, 2L * q), context);
        mgpu::mem_t<int> found(q, context);
        time_runs([&] { emc::cuda_lca_inlabel(n, parents.data(), q, pairs.data(), found.data(), q, context); });
        for (int v : mgpu::from_mem(found)) sum += v;
    } else {
        const int m = read(in, 1)[0];
        auto offsets = mgpu::to_mem(read(in, n + 1L), context), neighbors = mgpu::to_mem(read(in, m), context);
        mgpu::mem_t<bool> found(m, context);
        time_runs([&] { emc::cuda_bridges_tarjan(n, m, offsets.data(), neighbors.data(), found.data(), context); });
        std::vector<char> is_bridge(m);
        cudaMemcpy(is_bridge.data(), found.data(), m, cudaMemcpyDeviceToHost);
        for (char each : is_bridge) sum += each;
    }
    printf("SUM %ld\n", sum);
}
