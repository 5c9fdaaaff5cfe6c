/** Turns a name into one that the daemon accepts: no path, no control characters, never empty. */
export function fileNameOf(name: string): string {
  const clean = name
    .replace(/[\x00-\x1f\x7f/\\]/g, '_')
    .trim()
    .slice(-200);
  return /^\.{0,2}$/.test(clean) ? 'file' : clean;
}

const IMAGE = /^image\/(?:png|jpeg|gif|webp)$/;

/** Formats that are safe to display. Any other image type may have active content (SVG). */
export function isImage(mimeType: string | null): boolean {
  return IMAGE.test(mimeType ?? '');
}

/** File types that an agent accepts, as the `accept` of a file field: all files, images only, or none (null). */
export function acceptedBy(capabilities: Readonly<Record<string, unknown>>): '' | 'image/*' | null {
  if (capabilities.supportsFileAttachments === true) return '';
  return capabilities.supportsImageInput === true ? 'image/*' : null;
}

/** An uploaded file that belongs to a draft. */
export interface DraftFile {
  id: string;
  name: string;
}

/** Parses the files of a stored draft; the stored value is not trusted. */
export function readFiles(value: unknown): DraftFile[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.flatMap((each) => {
    if (typeof each !== 'object' || each === null || !('id' in each) || !('name' in each)) return [];
    const { id, name } = each;
    return typeof id === 'string' && /^[a-z0-9]{1,40}$/.test(id) && typeof name === 'string' ? [{ id, name }] : [];
  });
}
