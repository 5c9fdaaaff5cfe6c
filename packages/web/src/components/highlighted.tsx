import { useEffect, useState } from 'react';
import { joinGrown, type Piece } from './code.logic.ts';

/** Longer text is not highlighted: it would take too long. */
const MAX_CHARS = 50_000;
/** Debounce for text that is still streaming. */
const WAIT_MS = 120;
const NOTHING = { text: '', pieces: [] as readonly Piece[] };

/** Highlighted code. Plain text until highlighting is done, or if the language is unknown. */
export function Highlighted({ text, language }: { text: string; language: string | null }) {
  const [known, setKnown] = useState(NOTHING);
  useEffect(() => {
    if (language === null || text.length > MAX_CHARS) return;
    let isOver = false;
    const timer = setTimeout(async () => {
      const { highlight } = await import('./highlight.ts');
      const pieces = await highlight(text, language);
      if (pieces && !isOver) setKnown({ text, pieces });
    }, WAIT_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [text, language]);
  const pieces = joinGrown(known.pieces, known.text, text);
  if (!pieces) return text;
  return pieces.map(({ text: piece, color }, at) =>
    color === null ? (
      piece
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other key.
      <span key={at} style={{ color: color }}>
        {piece}
      </span>
    ),
  );
}
