// The Boost Graph Library as a serial peer: depth-first search over compressed sparse rows, and union-find
// over edges as they come. native.py makes a shared library of this; peers.py calls it.

#include <cstdint>
#include <utility>
#include <vector>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/pending/disjoint_sets.hpp>
#include <boost/property_map/property_map.hpp>

using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                 boost::no_property, uint32_t, uint64_t>;

extern "C" {

// A graph of edges that are each given in one direction; its rows hold both, as the search needs them.
Graph *build(int64_t vertices, int64_t edges, const int64_t *sources, const int64_t *targets) {
    std::vector<std::pair<uint32_t, uint32_t>> both;
    both.reserve(2 * edges);
    for (int64_t e = 0; e < edges; ++e) {
        both.emplace_back(sources[e], targets[e]);
        both.emplace_back(targets[e], sources[e]);
    }
    return new Graph(boost::edges_are_unsorted_multi_pass, both.begin(), both.end(), vertices);
}

void find(const Graph *graph, int32_t *labels) {
    boost::connected_components(
        *graph, boost::make_iterator_property_map(labels, boost::get(boost::vertex_index, *graph)));
}

void release(Graph *graph) { delete graph; }

// Components of edges without a graph: union by rank, and full path compression.
void unite(int64_t vertices, int64_t edges, const int64_t *sources, const int64_t *targets, int32_t *labels) {
    std::vector<int32_t> ranks(vertices);
    boost::typed_identity_property_map<int32_t> index;
    auto rank = boost::make_iterator_property_map(ranks.begin(), index);
    auto parent = boost::make_iterator_property_map(labels, index);
    boost::disjoint_sets<decltype(rank), decltype(parent)> sets(rank, parent);
    for (int64_t v = 0; v < vertices; ++v) sets.make_set(v);
    for (int64_t e = 0; e < edges; ++e) sets.union_set(sources[e], targets[e]);
    for (int64_t v = 0; v < vertices; ++v) labels[v] = sets.find_set(v);
}
}
