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

/** A file that the daemon has, and that goes with what is written here. */
export interface KeptFile {
  id: string;
  name: string;
}

/** What was kept with a draft, whoever wrote it there. */
export function readFiles(value: unknown): KeptFile[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.flatMap((each) => {
    if (typeof each !== 'object' || each === null || !('id' in each) || !('name' in each)) return [];
    const { id, name } = each;
    return typeof id === 'string' && /^[a-z0-9]{1,40}$/.test(id) && typeof name === 'string' ? [{ id, name }] : [];
  });
}
