// LEMON as a serial peer: breadth-first search over a static graph, and union-find over edges as they come.
// native.py makes a shared library of this; peers.py calls it.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#define LEMON_ONLY_TEMPLATES  // the headers suffice: nothing of liblemon is linked
#include <lemon/adaptors.h>
#include <lemon/connectivity.h>
#include <lemon/maps.h>
#include <lemon/static_graph.h>
#include <lemon/unionfind.h>

using Graph = lemon::StaticDigraph;

extern "C" {

// A graph of edges that are each given in one direction; `find` looks at it in both.
Graph *build(int64_t vertices, int64_t edges, const int64_t *sources, const int64_t *targets) {
    std::vector<std::pair<int, int>> arcs(edges);
    for (int64_t e = 0; e < edges; ++e) arcs[e] = std::pair<int, int>(sources[e], targets[e]);
    std::sort(arcs.begin(), arcs.end());
    auto *graph = new Graph;
    graph->build(vertices, arcs.begin(), arcs.end());
    return graph;
}

// Undirected like this, a static graph is searched up to twice as fast as LEMON's SmartGraph.
void find(const Graph *graph, int32_t *labels) {
    lemon::Undirector<const Graph> both(*graph);
    Graph::NodeMap<int> component(*graph);
    lemon::connectedComponents(both, component);
    for (Graph::NodeIt v(*graph); v != lemon::INVALID; ++v) labels[graph->id(v)] = component[v];
}

void release(Graph *graph) { delete graph; }

// Components of edges without a graph: union by size, and full path compression.
void unite(int64_t vertices, int64_t edges, const int64_t *sources, const int64_t *targets, int32_t *labels) {
    lemon::RangeMap<int> place(vertices);
    lemon::UnionFind<lemon::RangeMap<int>> sets(place);
    for (int64_t v = 0; v < vertices; ++v) sets.insert(v);
    for (int64_t e = 0; e < edges; ++e) sets.join(sources[e], targets[e]);
    for (int64_t v = 0; v < vertices; ++v) labels[v] = sets.find(v);
}
}
