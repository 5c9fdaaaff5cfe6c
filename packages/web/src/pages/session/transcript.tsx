import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Conversation } from '../../data/session.logic.ts';
import { Button } from '../../parts/small.tsx';
import { FindBar } from './find/find-bar.tsx';
import { FoundWords } from './find/found-words.ts';
import { markFound, showRange } from './find/mark-found.ts';
import type { Finding } from './find/use-find.ts';
import { ItemView } from './item-view.tsx';
import { keepPlace, readPlace } from './place.ts';

/** Nearer to the end than this is at the end. */
const END_PX = 48;
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
    const look = () => {
      const isThere = element.scrollHeight - element.scrollTop - element.clientHeight < END_PX;
      atEnd.current = isThere;
      setAtEnd(isThere);
      clearTimeout(timer);
      timer = setTimeout(() => {
        const first = virtual.getVirtualItems().find(({ end }) => end > element.scrollTop + 1);
        keepPlace(id, isThere || !first ? null : String(first.key));
      }, PLACE_MS);
    };
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      clearTimeout(timer);
      element.removeEventListener('scroll', look);
    };
  }, [id, virtual]);

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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must be able to. */}
      <div className="transcript" ref={scroller} tabIndex={0} role="log" aria-label="Conversation" aria-live="off">
        <div className="transcript-all" style={{ height: size }}>
          {drawn.map(({ index, key, start }) => (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className="transcript-item"
              data-found={index === foundAt || undefined}
              style={{ transform: `translateY(${start}px)` }}
            >
              <div className="transcript-width">
                <FoundWords value={index === foundAt ? words : ''}>
                  <ItemView item={items[index]!} sessionId={id} />
                </FoundWords>
              </div>
            </div>
          ))}
        </div>
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
