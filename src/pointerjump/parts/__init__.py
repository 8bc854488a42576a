"""Components of a table in parts that different machines hold, and how little of each part has to travel.

Nothing here knows which engine moves what: whoever calls it does (:mod:`pointerjump.dask`). Imports go one
way: the package of an engine imports this one, and this one imports `face`, the functions for one machine.

    forests     a part becomes a forest where it is; forests are merged, and components passed back down
    sightings   which ids several parts have: only those need to travel
    claims      the name and the size of each component, and the rows of the result
    groups      rows of a group come to one part, and become pairs
    facts       what is known about forests before it is decided how they are merged
    stars       the other way, for more ids than one machine holds: large-star and small-star
"""
