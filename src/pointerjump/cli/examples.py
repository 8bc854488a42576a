"""Examples of a command: the end of its help has them, the site shows them with what they print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click


@dataclass(frozen=True)
class Example:
    """Lines for a shell that run as they stand, in an empty folder or after the examples before them.

    Attributes
    ----------
    about : str
        What they show. A colon follows it.
    lines : tuple of str
    exit_code : int
        That of the last line.
    seconds : float
        About how long they take on two cores, if it is more than a few seconds. The site then does not run
        them.
    """

    about: str
    lines: tuple[str, ...]
    exit_code: int = 0
    seconds: float = 0


def example(about: str, *lines: str, exit_code: int = 0, seconds: float = 0) -> Example:
    """Return an example of these lines."""
    return Example(about, lines, exit_code, seconds)


class CommandWithExamples(click.Command):
    """A command whose help ends with examples, and that refuses an option that is given twice.

    Parameters
    ----------
    examples : sequence of Example
    *arguments, **settings
        What ``click.Command`` takes.
    """

    def __init__(self, *arguments: Any, examples: Sequence[Example] = (), **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.examples = tuple(examples)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse; of an option that is given twice, click would silently use the last value."""
        if not ctx.resilient_parsing:
            given = self.make_parser(ctx).parse_args(list(args))[2]
            for each in given:
                idempotent = isinstance(each, click.Option) and each.is_flag and not each.secondary_opts
                if given.count(each) > 1 and not each.multiple and not idempotent:
                    raise click.UsageError(
                        f"{each.opts[-1]} is given {given.count(each)} times: give it once"
                    )
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples below the options."""
        super().format_epilog(ctx, formatter)
        with formatter.section("Examples"):
            for each in self.examples:
                formatter.write_text(f"{each.about}:")
                formatter.indent()
                for line in each.lines:  # never broken, so that it can be copied
                    formatter.write(f"{'':{formatter.current_indent}}{line}\n")
                formatter.dedent()
