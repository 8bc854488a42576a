"""Components of a table in parts that different machines hold, and how little of each part has to travel.

Nothing here knows which engine moves what: whoever calls it does (:mod:`pointerjump.dask`).

    forests     a part becomes a forest where it is; forests are merged, and components passed back down
    sightings   which ids several parts have: only those need to travel
    claims      the name and the size of each component, and the rows of the result
    stars       the other way, for ids that fit no one machine: large-star and small-star
"""
