import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Text shorter than this is kept as it is: it will be merged, and is compressed then. */
export const SMALL_CHARS = 8 * 1024;
/** No character needs more bytes in UTF-8 than this for each unit that a string counts. */
const MOST_BYTES_PER_CHAR = 3;
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export interface EventLine {
  seq: number;
  line: string;
}

/** What a row of events holds. */
export interface Pack {
  seqFrom: number;
  seqTo: number;
  lines: number;
  /** Of the text, before it is compressed. */
  chars: number;
  /** Null: no seq is missing between the first and the last. Else the steps from one to the next. */
  gaps: string | null;
  data: string | Uint8Array;
}

/** Lines in order, at least one. */
export function packLines(lines: readonly EventLine[]): Pack {
  const first = lines[0];
  const last = lines.at(-1);
  if (!first || !last) throw new TypeError('there are no lines to pack');
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

/** Throws where the row does not hold what it says. */
export function unpackLines(pack: Pack): EventLine[] {
  const text = typeof pack.data === 'string' ? pack.data : decompress(pack.data, pack.chars);
  const lines = text.split('\n');
  const steps = pack.gaps === null ? null : pack.gaps.split(',');
  if (lines.length !== pack.lines || (steps !== null && steps.length !== lines.length - 1)) {
    throw new TypeError(`${lines.length} lines where ${pack.lines} should be`);
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
  return zstdDecompressSync(data, { maxOutputLength: Math.max(1, chars * MOST_BYTES_PER_CHAR) }).toString();
}
