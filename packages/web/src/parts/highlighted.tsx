import { useEffect, useState } from 'react';
import { joinGrown, type Piece } from './code.logic.ts';

/** What is longer is shown plainly: colours are not worth the wait. */
const MOST_CHARS = 50_000;
/** Text that is being written is highlighted now and then. */
const WAIT_MS = 120;
const NOTHING = { text: '', pieces: [] as readonly Piece[] };

/** Code in colours, once they are known; before, and where its language is not, as it is. */
export function Highlighted({ text, language }: { text: string; language: string | null }) {
  const [known, setKnown] = useState(NOTHING);
  useEffect(() => {
    if (language === null || text.length > MOST_CHARS) return;
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
  return pieces.map(({ text: piece, colour }, at) =>
    colour === null ? (
      piece
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other name.
      <span key={at} style={{ color: colour }}>
        {piece}
      </span>
    ),
  );
}
