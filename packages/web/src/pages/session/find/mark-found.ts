/** Limit of highlighted ranges, so that typing stays responsive. */
const MAX_RANGES = 2_000;

/**
 * Highlights the query in the rendered text without changing the DOM. Returns the first match in `here`, the current
 * item.
 */
export function markFound(within: Element, query: string, here: Element | null): Range | undefined {
  if (!('highlights' in CSS)) return undefined;
  const wanted = query.trim().toLowerCase();
  const [all, now]: [Range[], Range[]] = [[], []];
  if (wanted !== '') {
    const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node && all.length + now.length < MAX_RANGES; node = walker.nextNode()) {
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

/** Scrolls every container that hides the range, from the innermost up to `within`. */
export function showRange(range: Range, within: Element): void {
  for (let element = range.startContainer.parentElement; element; element = element.parentElement) {
    if (element.scrollHeight > element.clientHeight && getComputedStyle(element).overflowY !== 'visible') {
      const box = range.getBoundingClientRect();
      const frame = element.getBoundingClientRect();
      if (box.top < frame.top || box.bottom > frame.bottom) element.scrollTop += box.top - frame.top - frame.height / 2;
    }
    if (element === within) return;
  }
}
