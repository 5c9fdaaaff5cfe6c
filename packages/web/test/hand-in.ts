import type { Page } from 'playwright-core';

/** A dot. */
export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

interface HandedIn {
  name: string;
  mimeType: string;
  base64: string;
}

/** As if it came from the clipboard, or by the mouse from elsewhere. */
export async function handIn(page: Page, how: 'paste' | 'drop', into: string, file: HandedIn): Promise<void> {
  const given = JSON.stringify({ how, into, ...file });
  await page.evaluate(`(() => {
    const { how, into, name, mimeType, base64 } = ${given};
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], name, { type: mimeType }));
    const rest = { bubbles: true, cancelable: true };
    document.querySelector(into).dispatchEvent(how === 'paste'
      ? new ClipboardEvent('paste', { clipboardData: data, ...rest })
      : new DragEvent('drop', { dataTransfer: data, ...rest }));
  })()`);
}
