/**
 * The page's policy allows no style that stands in the page itself: neither style elements that scripts fill, nor style attributes.
 * What scripts say to the style objects themselves is fine. xterm draws with the first two; here the same is done by the last.
 */

/** While `work` runs, style elements that it makes become sheets of the document. xterm makes all of its own when it is opened. */
export function withSheetsForStyles(work: () => void): void {
  Object.defineProperty(document, 'createElement', {
    configurable: true,
    value: (name: string) => (name === 'style' ? makeStyle() : Document.prototype.createElement.call(document, name)),
  });
  try {
    work();
  } finally {
    Reflect.deleteProperty(document, 'createElement');
  }
}

/** Cells with colours of their own are spans with a style attribute: the same text goes to their style object. */
Object.defineProperty(HTMLSpanElement.prototype, 'setAttribute', {
  configurable: true,
  value(this: HTMLSpanElement, name: string, value: string) {
    if (name === 'style') this.style.cssText = value;
    else Element.prototype.setAttribute.call(this, name, value);
  },
});

/** Looks like an element that can be filled and removed; its rules are a sheet of the document. */
function makeStyle(): HTMLElement {
  const element = Document.prototype.createElement.call(document, 'i');
  element.hidden = true;
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  Object.defineProperty(element, 'textContent', {
    get: () => '',
    set: (text: string) => sheet.replaceSync(text),
  });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
    Element.prototype.remove.call(element);
  };
  return element;
}
