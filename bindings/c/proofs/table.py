"""Tables of the proofs, as text."""


def table(head, rows):
    """Prints a table, with the first column aligned to the left and the others to the right."""
    widths = [max(len(row[n]) for row in [head, *rows]) for n in range(len(head))]
    for first, *others in [head, *rows]:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:])]
        print("  ".join([first.ljust(widths[0]), *cells]).rstrip())
    print(flush=True)
