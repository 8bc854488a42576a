# %% [markdown]
# # Debian's packages: which belong together?
#
# A Debian package lists the packages that it depends on. In a graph with packages as vertices, nearly
# everything is connected: almost all packages depend on the C library. But if we leave out the packages that
# many others need, families appear.

# %%
import re
from collections import Counter
from pathlib import Path

import pyarrow as pa

import pointerjump as pj

# %% [markdown]
# ## The packages
#
# On Debian and its derivatives, `/var/lib/dpkg/status` lists the packages that are installed. On other
# systems, we use the small excerpt below. The `Packages` files of an archive have the same format.

# %%
EXCERPT = """\
Package: libc6
Depends: libgcc-s1

Package: libgcc-s1
Depends: libc6 (>= 2.35)

Package: zlib1g
Depends: libc6 (>= 2.14)

Package: perl-base
Depends: libc6 (>= 2.35)

Package: perl
Depends: perl-base (= 5.36.0-7), libperl5.36 (= 5.36.0-7)

Package: libperl5.36
Depends: libc6 (>= 2.36), perl-modules-5.36 (>= 5.36.0)

Package: perl-modules-5.36
Depends: perl-base (>= 5.36.0-1)

Package: python3
Depends: python3-minimal (= 3.11.2-1), libpython3-stdlib (= 3.11.2-1)

Package: python3-minimal
Depends: libc6 (>= 2.36)

Package: libpython3-stdlib
Depends: libc6 (>= 2.36), zlib1g (>= 1:1.2.0)

Package: git
Depends: libc6 (>= 2.34), zlib1g (>= 1:1.2.2), perl, git-man (>> 1:2.39.5), less | pager

Package: git-man

Package: base-files
Depends: awk
"""
status = Path("/var/lib/dpkg/status")
installed = status.exists() and status.stat().st_size > 0
text = status.read_text(encoding="utf-8", errors="replace") if installed else EXCERPT
print("read from", status if installed else "the excerpt above")

# %% [markdown]
# ## Dependencies as pairs
#
# A blank line separates packages. In the line `Depends`, commas separate dependencies, and `|` separates
# alternatives; versions are in parentheses. We count every alternative that is installed, and leave out the
# others. Most of those left out are names such as `awk`, which several packages provide.

# %%
names, needs = [], []
for stanza in text.split("\n\n"):
    fields = dict(re.findall(r"^(Package|Depends|Pre-Depends): (.*)$", stanza, re.MULTILINE))
    if "Package" in fields:
        names.append(fields["Package"])
        wanted = ", ".join(fields.get(field, "") for field in ("Pre-Depends", "Depends"))
        needs.append(re.findall(r"(?:^|[,|])\s*([a-z0-9][a-z0-9+.-]*)", wanted))

there = set(names)
rows = [
    (name, need) for name, all_needs in zip(names, needs, strict=True) for need in all_needs if need in there
]
depends = pa.table({"package": [name for name, _ in rows], "needs": [need for _, need in rows]})
print(f"{len(there):,} packages, {depends.num_rows:,} dependencies")

# %% [markdown]
# ## All packages
#
# The columns have unusual names, so we say which two hold the pairs. `nodes` adds the packages that need no
# others and are not needed by any.

# %%
c = pj.components(depends, source="package", target="needs", nodes=sorted(there))
print(c)
print(f"{len(c.largest()):,} of {c.vertices:,} packages hang together")

# %% [markdown]
# ## Without the shared packages
#
# Let us leave out the packages that more than a few others need. This takes a condition: `where` takes a
# column, an operator and a value. It also takes a list of conditions, all of which must hold.

# %%
needed = Counter(depends["needs"].to_pylist())


def families_without(shared):
    """Return the components that remain without the dependencies on shared packages."""
    where = ("needs", "not in", shared) if shared else None
    return pj.components(depends, source="package", target="needs", where=where, nodes=sorted(there))


for few in (50, 20, 10, 5, 2):
    shared = [name for name, count in needed.items() if count > few]
    families = families_without(shared)
    print(f"without the {len(shared):3} that more than {few:2} need: largest family {max(families.sizes)}")

# %% [markdown]
# In the last line, a package that only one or two others need is still in their family. These are the largest
# families:

# %%
clusters = families.table().to_pydict()
family = dict(zip(clusters["id"], clusters["component"], strict=True))
for name, size in Counter(family.values()).most_common(5):
    print(f"{size:3} packages: {', '.join([member for member in family if family[member] == name][:4])} ...")

# %% [markdown]
# ## What we have shown

# %%
assert len(family) == len(there) == sum(families.sizes)
assert all(family[name] == family[need] for name, need in rows if need not in shared)
assert all(name <= member for member, name in family.items()), "a family is named by its smallest member"
assert families.count >= c.count, "with fewer dependencies there are not fewer families"
