/**
 * The page's CSP forbids inline styles: both style elements filled by scripts and style attributes. Setting styles
 * through the CSSOM is allowed. xterm uses the first two; this module redirects them to the CSSOM.
 */

/**
 * Turns style elements that `work` creates into adopted style sheets. xterm creates all of its style elements on open.
 */
export function withSheetsForStyles(work: () => void): void {
  Object.defineProperty(document, 'createElement', {
    configurable: true,
    value: (name: string) => (name === 'style' ? createStyle() : Document.prototype.createElement.call(document, name)),
  });
  try {
    work();
  } finally {
    Reflect.deleteProperty(document, 'createElement');
  }
}

/** xterm colors cells by a style attribute on spans; the same text is set through the style object instead. */
Object.defineProperty(HTMLSpanElement.prototype, 'setAttribute', {
  configurable: true,
  value(this: HTMLSpanElement, name: string, value: string) {
    if (name === 'style') this.style.cssText = value;
    else Element.prototype.setAttribute.call(this, name, value);
  },
});

/** Creates an element that behaves like a style element but stores its rules in an adopted style sheet. */
function createStyle(): HTMLElement {
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
