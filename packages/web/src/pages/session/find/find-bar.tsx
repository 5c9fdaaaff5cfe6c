import { ChevronDown, ChevronUp, Search, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { IconButton } from '../../../components/primitives.tsx';
import type { Finding } from './use-find.ts';

export function FindBar({ finding }: { finding: Finding }) {
  const { query, found, at, write, step, close } = finding;
  const input = useRef<HTMLInputElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: focuses each time the bar is opened.
  useEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, [finding.openCount]);
  const index = at === null ? -1 : found.indexOf(at);
  return (
    <search className="find-bar">
      <Search className="icon" aria-hidden />
      <input
        ref={input}
        type="text"
        aria-label="Find in the conversation"
        placeholder="Find in the conversation"
        value={query}
        onChange={({ target }) => write(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close();
          if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
        }}
      />
      <span className="muted number" role="status">
        {query.trim() === '' ? '' : found.length === 0 ? 'not found' : `${index + 1} of ${found.length}`}
      </span>
      <IconButton label="Previous" disabled={found.length === 0} onClick={() => step(-1)}>
        <ChevronUp />
      </IconButton>
      <IconButton label="Next" disabled={found.length === 0} onClick={() => step(1)}>
        <ChevronDown />
      </IconButton>
      <IconButton label="Close" onClick={close}>
        <X />
      </IconButton>
    </search>
  );
}
