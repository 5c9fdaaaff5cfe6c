import { useQuery } from '@tanstack/react-query';
import { ChevronRight, CircleX, FileText, ListChecks, TriangleAlert } from 'lucide-react';
import { memo, useEffect, useState } from 'react';
import { call, callBlob } from '../../data/call.ts';
import type { Item, PlanEntry, ThinkingItem, TroubleItem, TurnItem, UserItem } from '../../data/items.ts';
import { isPicture } from '../../parts/attachments.logic.ts';
import { durationOf, moneyOf } from '../../parts/format.logic.ts';
import { Markdown } from '../../parts/markdown.tsx';
import { AskedView } from './asked-view.tsx';
import { useUnfoldFound } from './find/found-words.ts';
import { useFold } from './folds.ts';
import { ForkMark } from './fork-mark.tsx';
import { ToolCard } from './tool-card.tsx';

/** One item of a conversation. Drawn again only when it has changed. */
export const ItemView = memo(function ItemView({ item, sessionId }: { item: Item; sessionId: string }) {
  switch (item.kind) {
    case 'user':
      return <Said item={item} sessionId={sessionId} />;
    case 'text':
      return item.text.trim() === '' ? null : <Markdown text={item.text} />;
    case 'thinking':
      return <Thought item={item} />;
    case 'tool':
      return <ToolCard item={item} sessionId={sessionId} />;
    case 'plan':
      return <Plan entries={item.entries} />;
    case 'request':
      return <AskedView asked={item.asked} sessionId={sessionId} />;
    case 'trouble':
      return <Trouble item={item} />;
    case 'fork':
      return <ForkMark item={item} />;
    case 'note':
      return <p className="between">{item.text}</p>;
    case 'file':
      return <FileShown name={item.name} path={item.path} mimeType={item.mimeType} base64={item.base64} />;
    case 'turn':
      return <TurnEnd item={item} />;
  }
});

function Said({ item, sessionId }: { item: UserItem; sessionId: string }) {
  const { text, attachments, delivery, time } = item;
  return (
    <section className="said" aria-label="You said" title={new Date(time).toLocaleString()}>
      {delivery === 'steer' ? <span className="said-how">into the running turn</span> : null}
      <p>{text}</p>
      {attachments.some(({ mimeType }) => isPicture(mimeType)) ? <Pictures item={item} sessionId={sessionId} /> : null}
      {attachments.map(({ name }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names may be the same, and they never move.
        <span key={at} className="attachment">
          <FileText className="icon" aria-hidden /> {name}
        </span>
      ))}
    </section>
  );
}

/** What was handed in with a message; its row knows under which ids. */
function Pictures({ item: { messageId, attachments }, sessionId }: { item: UserItem; sessionId: string }) {
  const files = useQuery({
    queryKey: ['files of messages', sessionId, messageId],
    queryFn: async ({ signal }) => {
      const { messages } = await call('listMessages', { params: { id: sessionId } }, signal);
      return messages.find(({ id }) => id === messageId)?.files ?? [];
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (files.data ?? []).map((id, at) => {
    const { name = '', mimeType = '' } = attachments[at] ?? {};
    return isPicture(mimeType) ? <Picture key={id} id={id} name={name} /> : null;
  });
}

/** Fetched by the page: what a browser loads for an element carries no login. */
function Picture({ id, name }: { id: string; name: string }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const leaving = new AbortController();
    let made: string | undefined;
    callBlob('downloadFile', { params: { id } }, leaving.signal).then(
      (blob) => {
        if (leaving.signal.aborted) return;
        made = URL.createObjectURL(blob);
        setAddress(made);
      },
      () => undefined,
    );
    return () => {
      leaving.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [id]);
  return <img className="said-picture" src={address} alt={name} />;
}

function Thought({ item }: { item: ThinkingItem }) {
  const { text, isOpen, time, endedAt } = item;
  const [isUnfolded = false, setUnfolded] = useFold(item.key);
  useUnfoldFound(item, () => setUnfolded(true));
  const took = (endedAt ?? time) - time;
  const word = isOpen ? 'Thinking…' : took < 1000 ? 'Thought' : `Thought for ${durationOf(took)}`;
  return (
    <section className="thought">
      <button
        type="button"
        className="thought-head"
        aria-expanded={isUnfolded}
        onClick={() => setUnfolded(!isUnfolded)}
      >
        <ChevronRight className="icon tool-fold" aria-hidden />
        {word}
      </button>
      {isUnfolded ? <p>{text}</p> : null}
    </section>
  );
}

const PLAN_WORDS: Readonly<Record<PlanEntry['status'], string>> = {
  pending: 'to do',
  in_progress: 'doing',
  completed: 'done',
};

function Plan({ entries }: { entries: readonly PlanEntry[] }) {
  const done = entries.filter(({ status }) => status === 'completed').length;
  return (
    <section className="plan" aria-label="Plan">
      <h3>
        <ListChecks className="icon" aria-hidden /> Plan{' '}
        <span className="faint">
          {done} of {entries.length}
        </span>
      </h3>
      <ol>
        {entries.map(({ content, status }) => (
          <li key={content} data-status={status}>
            <span className="plan-mark" aria-hidden />
            {content}
            <span className="hidden-text"> ({PLAN_WORDS[status]})</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Trouble({ item: { tone, title, message, remedy, detail } }: { item: TroubleItem }) {
  const Icon = tone === 'error' ? CircleX : TriangleAlert;
  return (
    <section className="trouble" data-tone={tone}>
      <h3>
        <Icon className="icon" aria-hidden /> {title}
      </h3>
      <p>{message}</p>
      {remedy === null ? null : <p className="muted">{remedy}</p>}
      {detail === null ? null : <pre className="tool-text">{detail}</pre>}
    </section>
  );
}

function FileShown({
  name,
  path,
  mimeType,
  base64,
}: {
  name: string;
  path: string | null;
  mimeType: string | null;
  base64: string | null;
}) {
  const isShown = base64 !== null && !base64.startsWith('[') && isPicture(mimeType);
  return (
    <section className="file">
      {isShown ? <img src={`data:${mimeType};base64,${base64}`} alt={name} /> : null}
      <p>
        <FileText className="icon" aria-hidden /> {name} {path === null ? null : <code className="faint">{path}</code>}
      </p>
    </section>
  );
}

const TURN_WORDS: Readonly<Record<TurnItem['status'], string>> = {
  completed: '',
  failed: 'failed',
  interrupted: 'interrupted',
  max_turns: 'stopped at the limit of turns',
  refused: 'refused by the model',
};

function TurnEnd({ item: { status, durationMs, costUsd, isEstimated } }: { item: TurnItem }) {
  const parts = [TURN_WORDS[status], durationOf(durationMs), costUsd === null ? '' : moneyOf(costUsd, isEstimated)];
  return <p className="between">{parts.filter((part) => part !== '').join(' · ')}</p>;
}
