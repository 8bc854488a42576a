"""Makes the pages that say what the code says: algorithms, properties, functions, commands and shapes.

mkdocs runs this as a hook (mkdocs.yml). The pages exist in the site only, never in the source tree. Each
kind of page is a module in ``docs/pages``.
"""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from pages import algorithms, commands, generators, papers, properties, python, shapes

from pointerjump.registry import ALGORITHMS
from pointerjump.registry.selection import of_problem


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the algorithms to the sidebar, by problem, in the registry's order: the one to learn them in."""
    (section,) = (part["Algorithms"] for part in config.nav if "Algorithms" in part)
    for problem, title in algorithms.PROBLEMS.items():
        names = of_problem(problem)
        section.append({title: [{ALGORITHMS[name].title: f"algorithms/{name}.md"} for name in names]})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    pages = {
        "algorithms/index.md": algorithms.algorithm_index(),
        **{f"algorithms/{each.name}.md": algorithms.algorithm_page(each) for each in ALGORITHMS.values()},
        "properties.md": properties.properties_page(),
        "python.md": python.python_page(),
        "commands.md": commands.commands_page(),
        "generators.md": generators.generators_page(),
        "shapes.md": shapes.shapes_page(),
    }
    for uri, content in pages.items():
        files.append(File.generated(config, uri, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put their figures into the papers' pages."""
    return papers.with_figures(markdown) if page.file.src_uri.startswith("papers/") else markdown
