/**
 * The page's policy allows no style that stands in the page itself: neither style elements that scripts fill, nor style attributes.
 * What scripts say to the style objects themselves is fine. A terminal draws with both; here it is handed elements that do the
 * same by way of those objects.
 */
const strict: Document = new Proxy(document, {
  get(target, name) {
    if (name === 'createElement') return createElement;
    const value: unknown = Reflect.get(target, name, target);
    return typeof value === 'function' ? value.bind(target) : value;
  },
});

export function strictDocument(): Document {
  return strict;
}

/** For what takes the page's own document in any case: while `work` runs, that one makes such elements too. */
export function withStrictElements(work: () => void): void {
  Object.defineProperty(document, 'createElement', { value: createElement, configurable: true });
  try {
    work();
  } finally {
    Reflect.deleteProperty(document, 'createElement');
  }
}

function createElement(name: string): HTMLElement {
  if (name === 'style') return makeStyle();
  const element = Document.prototype.createElement.call(document, name);
  const setAttribute = element.setAttribute.bind(element);
  element.setAttribute = (attribute, value) => {
    if (attribute === 'style') element.style.cssText = value;
    else setAttribute(attribute, value);
  };
  return element;
}

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
