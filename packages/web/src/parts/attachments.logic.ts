/** What the daemon takes as a name: no path, no control characters, never empty. */
export function fileNameOf(name: string): string {
  const clean = name
    .replace(/[\x00-\x1f\x7f/\\]/g, '_')
    .trim()
    .slice(-200);
  return /^\.{0,2}$/.test(clean) ? 'file' : clean;
}

const PICTURE = /^image\/(?:png|jpeg|gif|webp)$/;

/** Those that are shown as they are; whatever else says to be a picture may be anything. */
export function isPicture(mimeType: string | null): boolean {
  return PICTURE.test(mimeType ?? '');
}

/** What an agent can be handed: all files, pictures alone (as the `accept` of a file field), or nothing. */
export function acceptedBy(capabilities: Readonly<Record<string, unknown>>): '' | 'image/*' | null {
  if (capabilities.supportsFileAttachments === true) return '';
  return capabilities.supportsImageInput === true ? 'image/*' : null;
}
