import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../../components/primitives.tsx';
import type { Conversation } from '../../data/session.logic.ts';
import { FindBar } from './find/find-bar.tsx';
import { markFound, showRange } from './find/mark-found.ts';
import { SearchHits } from './find/search-hits.ts';
import type { Finding } from './find/use-find.ts';
import { Folds } from './folds.ts';
import { ItemView } from './item-view.tsx';
import { readScroll, saveScroll } from './scroll-position.ts';

/** Within this distance the view counts as at the end. */
const END_PX = 48;
/** Total vertical padding, as in the style sheet. */
const MARGIN_PX = 32;
const ESTIMATED_PX = 72;
const SAVE_SCROLL_MS = 300;

interface TranscriptProps {
  id: string;
  conversation: Conversation;
  finding: Finding;
}

/** A virtualized conversation. It grows at the end and never moves what the user is reading. */
export function Transcript({ id, conversation, finding }: TranscriptProps) {
  const { items } = conversation;
  const scroller = useRef<HTMLDivElement>(null);
  const folds = useRef(new Map<string, boolean>());
  const [isAtEnd, setAtEnd] = useState(true);
  const atEnd = useRef(true);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ESTIMATED_PX,
    getItemKey: (at) => items[at]?.key ?? at,
    overscan: 8,
  });

  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, then the user scrolls.
  useLayoutEffect(() => {
    const savedKey = readScroll(id);
    const at = savedKey === null ? -1 : items.findIndex(({ key }) => key === savedKey);
    if (at === -1) toEnd();
    else {
      atEnd.current = false;
      setAtEnd(false);
      virtual.scrollToIndex(at, { align: 'start' });
    }
  }, [id]);

  // Item sizes are measured on render: a view at the end stays at the end.
  const size = virtual.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever the content has grown.
  useLayoutEffect(() => {
    if (atEnd.current) toEnd();
  }, [size, conversation, toEnd]);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let top = element.scrollTop;
    const update = () => {
      const isUp = element.scrollTop < top;
      top = element.scrollTop;
      // Sizes change between frames, first in the list and then in the page: use the smaller one to detect the end.
      const all = Math.min(element.scrollHeight, virtual.getTotalSize() + MARGIN_PX);
      const isThere = all - top - element.clientHeight < END_PX;
      // Growing content does not leave the end; only scrolling up does.
      const stays = isThere || (atEnd.current && !isUp);
      atEnd.current = stays;
      setAtEnd(stays);
      if (stays && !isThere) toEnd();
      clearTimeout(timer);
      timer = setTimeout(() => {
        const first = virtual.getVirtualItems().find(({ end }) => end > element.scrollTop + 1);
        saveScroll(id, stays || !first ? null : String(first.key));
      }, SAVE_SCROLL_MS);
    };
    // Expanding an item means reading it: content that grows below must not push it away.
    const hold = ({ target }: MouseEvent) => {
      if (!(target instanceof Element) || !target.closest('[aria-expanded]')) return;
      atEnd.current = false;
      requestAnimationFrame(update);
    };
    // The end moves without scrolling when the composer grows or a phone is rotated.
    const resized = new ResizeObserver(() => {
      if (atEnd.current) toEnd();
    });
    resized.observe(element);
    element.addEventListener('scroll', update, { passive: true });
    element.addEventListener('click', hold, { capture: true });
    return () => {
      clearTimeout(timer);
      resized.disconnect();
      element.removeEventListener('click', hold, { capture: true });
      element.removeEventListener('scroll', update);
    };
  }, [id, virtual, toEnd]);

  const { at: foundAt, query } = finding;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the current match changes.
  useEffect(() => {
    if (foundAt === null) return;
    atEnd.current = false;
    virtual.scrollToIndex(foundAt, { align: 'center' });
  }, [foundAt]);
  /** The last match scrolled to: each match is scrolled to once, then the user controls the position. */
  const shown = useRef('');
  const rendered = virtual.getVirtualItems();
  // Newly rendered items need new highlights.
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const first = markFound(element, query, element.querySelector(`[data-index="${foundAt}"]`));
    const match = `${foundAt} ${query}`;
    if (!first || shown.current === match) return;
    // Wait a frame until expanded items have their size.
    const frame = requestAnimationFrame(() => {
      shown.current = match;
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
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it.
        tabIndex={0}
        role="log"
        aria-label="Conversation"
        aria-live="off"
        data-focus-home
      >
        <Folds value={folds.current}>
          <div className="transcript-all" style={{ height: size }}>
            {rendered.map(({ index, key, start }) => (
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
                  <SearchHits value={index === foundAt ? query : ''}>
                    <ItemView item={items[index]!} sessionId={items[index]?.from ?? id} />
                  </SearchHits>
                </div>
              </div>
            ))}
          </div>
        </Folds>
      </div>
      {isAtEnd ? null : (
        <Button className="to-end" onClick={toEnd}>
          <ArrowDown />
          Jump to latest
        </Button>
      )}
    </div>
  );
}
