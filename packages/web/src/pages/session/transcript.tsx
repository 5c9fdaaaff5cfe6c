import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Conversation } from '../../data/session.logic.ts';
import { Button } from '../../parts/small.tsx';
import { FindBar } from './find/find-bar.tsx';
import { FoundWords } from './find/found-words.ts';
import { markFound, showRange } from './find/mark-found.ts';
import type { Finding } from './find/use-find.ts';
import { Folds } from './folds.ts';
import { ItemView } from './item-view.tsx';
import { keepPlace, readPlace } from './place.ts';

/** Nearer to the end than this is at the end. */
const END_PX = 48;
/** Above and below all of it, as the style has it. */
const MARGIN_PX = 32;
const GUESSED_PX = 72;
const PLACE_MS = 300;

interface TranscriptProps {
  id: string;
  conversation: Conversation;
  finding: Finding;
}

/** A conversation of any length: only what is seen is drawn. It grows at the end, and never moves what is being read. */
export function Transcript({ id, conversation, finding }: TranscriptProps) {
  const { items } = conversation;
  const scroller = useRef<HTMLDivElement>(null);
  const folds = useRef(new Map<string, boolean>());
  const [isAtEnd, setAtEnd] = useState(true);
  const atEnd = useRef(true);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => GUESSED_PX,
    getItemKey: (at) => items[at]?.key ?? at,
    overscan: 8,
  });

  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only once; afterwards the reader decides.
  useLayoutEffect(() => {
    const place = readPlace(id);
    const at = place === null ? -1 : items.findIndex(({ key }) => key === place);
    if (at === -1) toEnd();
    else {
      atEnd.current = false;
      setAtEnd(false);
      virtual.scrollToIndex(at, { align: 'start' });
    }
  }, [id]);

  // Sizes become known as things are drawn: whoever is at the end stays there.
  const size = virtual.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever it has grown.
  useLayoutEffect(() => {
    if (atEnd.current) toEnd();
  }, [size, conversation, toEnd]);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let top = element.scrollTop;
    const look = () => {
      const isUp = element.scrollTop < top;
      top = element.scrollTop;
      // Sizes become known between two frames, to the list first and then to the page: either may tell that this is the end.
      const all = Math.min(element.scrollHeight, virtual.getTotalSize() + MARGIN_PX);
      const isThere = all - top - element.clientHeight < END_PX;
      // What grows below takes nobody away from the end; only who goes up leaves it.
      const stays = isThere || (atEnd.current && !isUp);
      atEnd.current = stays;
      setAtEnd(stays);
      if (stays && !isThere) toEnd();
      clearTimeout(timer);
      timer = setTimeout(() => {
        const first = virtual.getVirtualItems().find(({ end }) => end > element.scrollTop + 1);
        keepPlace(id, stays || !first ? null : String(first.key));
      }, PLACE_MS);
    };
    // Who unfolds something reads it: what comes of it may grow below, and must not push it away.
    const hold = ({ target }: MouseEvent) => {
      if (!(target instanceof Element) || !target.closest('[aria-expanded]')) return;
      atEnd.current = false;
      requestAnimationFrame(look);
    };
    // The composer grows, a telephone is turned: the end is elsewhere then, and nobody has scrolled.
    const resized = new ResizeObserver(() => {
      if (atEnd.current) toEnd();
    });
    resized.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    element.addEventListener('click', hold, { capture: true });
    return () => {
      clearTimeout(timer);
      resized.disconnect();
      element.removeEventListener('click', hold, { capture: true });
      element.removeEventListener('scroll', look);
    };
  }, [id, virtual, toEnd]);

  const { at: foundAt, words } = finding;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another place is to be shown.
  useEffect(() => {
    if (foundAt === null) return;
    atEnd.current = false;
    virtual.scrollToIndex(foundAt, { align: 'center' });
  }, [foundAt]);
  /** What was shown last: each place is gone to once, and then the reader decides. */
  const shown = useRef('');
  const drawn = virtual.getVirtualItems();
  // Whatever is drawn anew is marked anew.
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const first = markFound(element, words, element.querySelector(`[data-index="${foundAt}"]`));
    const place = `${foundAt} ${words}`;
    if (!first || shown.current === place) return;
    // What was unfolded has its size by then.
    const frame = requestAnimationFrame(() => {
      shown.current = place;
      showRange(first, element);
    });
    return () => cancelAnimationFrame(frame);
  });

  return (
    <div className="transcript-frame">
      {finding.isOpen ? <FindBar finding={finding} /> : null}
      <div
        className="transcript"
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must be able to.
        tabIndex={0}
        role="log"
        aria-label="Conversation"
        aria-live="off"
        data-focus-home
      >
        <Folds value={folds.current}>
          <div className="transcript-all" style={{ height: size }}>
            {drawn.map(({ index, key, start }) => (
              <div
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                className="transcript-item"
                data-found={index === foundAt || undefined}
                data-inherited={items[index]?.from === undefined ? undefined : true}
                style={{ transform: `translateY(${start}px)` }}
              >
                <div className="transcript-width">
                  <FoundWords value={index === foundAt ? words : ''}>
                    <ItemView item={items[index]!} sessionId={items[index]?.from ?? id} />
                  </FoundWords>
                </div>
              </div>
            ))}
          </div>
        </Folds>
      </div>
      {isAtEnd ? null : (
        <Button className="to-end" onClick={toEnd}>
          <ArrowDown />
          To the end
        </Button>
      )}
    </div>
  );
}
