"""HTML pages taken apart."""

from html.parser import HTMLParser

VOID = {"meta", "br"}  # in HTML; what stands in an svg has to be closed


class Page(HTMLParser):
    """A page taken apart; an element that is closed in the wrong order fails."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.texts.append(data)

    def all_of(self, name: str) -> list[dict[str, str | None]]:
        """The attributes of every element of this name."""
        return [attributes for tag, attributes in self.elements if tag == name]
