/** Of so much text at most, so that a key is answered at once. */
const MOST_RANGES = 2_000;

/** Marks the words within what is drawn, without touching it; `here` is the item that is shown now. Returns the first in it. */
export function markFound(within: Element, words: string, here: Element | null): Range | undefined {
  if (!('highlights' in CSS)) return undefined;
  const wanted = words.trim().toLowerCase();
  const [all, now]: [Range[], Range[]] = [[], []];
  if (wanted !== '') {
    const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node && all.length + now.length < MOST_RANGES; node = walker.nextNode()) {
      const text = node.nodeValue?.toLowerCase() ?? '';
      for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, Math.min(at + wanted.length, node.nodeValue?.length ?? 0));
        (here?.contains(node) ? now : all).push(range);
      }
    }
  }
  CSS.highlights.set('found', new Highlight(...all));
  CSS.highlights.set('found-here', new Highlight(...now));
  return now[0];
}

/** Scrolls whatever hides it, from the innermost up to `within`. */
export function showRange(range: Range, within: Element): void {
  for (let element = range.startContainer.parentElement; element; element = element.parentElement) {
    if (element.scrollHeight > element.clientHeight && getComputedStyle(element).overflowY !== 'visible') {
      const place = range.getBoundingClientRect();
      const frame = element.getBoundingClientRect();
      if (place.top < frame.top || place.bottom > frame.bottom)
        element.scrollTop += place.top - frame.top - frame.height / 2;
    }
    if (element === within) return;
  }
}
