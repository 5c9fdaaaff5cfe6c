import type { Page } from 'playwright-core';

/** A PNG of one pixel. */
export const DOT_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

interface AttachedFile {
  name: string;
  mimeType: string;
  base64: string;
}

/** Pastes or drops a file into an element. */
export async function attachFile(page: Page, how: 'paste' | 'drop', into: string, file: AttachedFile): Promise<void> {
  const options = JSON.stringify({ how, into, ...file });
  await page.evaluate(`(() => {
    const { how, into, name, mimeType, base64 } = ${options};
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], name, { type: mimeType }));
    const rest = { bubbles: true, cancelable: true };
    document.querySelector(into).dispatchEvent(how === 'paste'
      ? new ClipboardEvent('paste', { clipboardData: data, ...rest })
      : new DragEvent('drop', { dataTransfer: data, ...rest }));
  })()`);
}
