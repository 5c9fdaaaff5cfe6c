import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Shorter text is not compressed; it will be merged and compressed then. */
export const SMALL_CHARS = 8 * 1024;
/** Maximum UTF-8 bytes per UTF-16 code unit. */
const MAX_BYTES_PER_CHAR = 3;
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export interface EventLine {
  seq: number;
  line: string;
}

/** Content of an event row. */
export interface Pack {
  seqFrom: number;
  seqTo: number;
  lines: number;
  /** Length of the uncompressed text. */
  chars: number;
  /** Null if the seqs are contiguous, else the steps from one seq to the next. */
  gaps: string | null;
  data: string | Uint8Array;
}

/** Packs lines, which must be in order and not empty. */
export function packLines(lines: readonly EventLine[]): Pack {
  const first = lines[0];
  const last = lines.at(-1);
  if (!first || !last) throw new TypeError('no lines to pack');
  const text = lines.map(({ line }) => line).join('\n');
  return {
    seqFrom: first.seq,
    seqTo: last.seq,
    lines: lines.length,
    chars: text.length,
    gaps: last.seq - first.seq === lines.length - 1 ? null : writeGaps(lines),
    data: text.length < SMALL_CHARS ? text : zstdCompressSync(text, FAST),
  };
}

/** Throws if the row is inconsistent. */
export function unpackLines(pack: Pack): EventLine[] {
  const text = typeof pack.data === 'string' ? pack.data : decompress(pack.data, pack.chars);
  const lines = text.split('\n');
  const steps = pack.gaps === null ? null : pack.gaps.split(',');
  if (lines.length !== pack.lines || (steps !== null && steps.length !== lines.length - 1)) {
    throw new TypeError(`expected ${pack.lines} lines, found ${lines.length}`);
  }
  let seq = pack.seqFrom;
  return lines.map((line, at) => {
    if (at > 0) seq += steps === null ? 1 : Number(steps[at - 1]);
    return { seq, line };
  });
}

function writeGaps(lines: readonly EventLine[]): string {
  return lines
    .slice(1)
    .map(({ seq }, at) => seq - (lines[at]?.seq ?? 0))
    .join(',');
}

function decompress(data: Uint8Array, chars: number): string {
  return zstdDecompressSync(data, { maxOutputLength: Math.max(1, chars * MAX_BYTES_PER_CHAR) }).toString();
}
