import { useQuery } from '@tanstack/react-query';
import { ChevronRight, CircleX, FileText, ListChecks, TriangleAlert } from 'lucide-react';
import { memo, useEffect, useState } from 'react';
import { isImage } from '../../components/attachments.logic.ts';
import { durationOf, moneyOf } from '../../components/format.logic.ts';
import { Markdown } from '../../components/markdown.tsx';
import { call, callBlob } from '../../data/call.ts';
import type { ErrorItem, Item, PlanEntry, ThinkingItem, TurnItem, UserItem } from '../../data/items.ts';
import { useUnfoldFound } from './find/search-hits.ts';
import { useFold } from './folds.ts';
import { ForkMark } from './fork-mark.tsx';
import { RequestView } from './request-view.tsx';
import { ToolCard } from './tool-card.tsx';

/** One item of a conversation, rendered again only when it changes. */
export const ItemView = memo(function ItemView({ item, sessionId }: { item: Item; sessionId: string }) {
  switch (item.kind) {
    case 'user':
      return <UserMessage item={item} sessionId={sessionId} />;
    case 'text':
      return item.text.trim() === '' ? null : <Markdown text={item.text} />;
    case 'thinking':
      return <Thinking item={item} />;
    case 'tool':
      return <ToolCard item={item} sessionId={sessionId} />;
    case 'plan':
      return <Plan entries={item.entries} />;
    case 'request':
      return <RequestView request={item.request} sessionId={sessionId} />;
    case 'error':
      return <ErrorView item={item} />;
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

function UserMessage({ item, sessionId }: { item: UserItem; sessionId: string }) {
  const { text, attachments, delivery, time } = item;
  return (
    <section className="said" aria-label="Your message" title={new Date(time).toLocaleString()}>
      {delivery === 'steer' ? <span className="said-how">steered</span> : null}
      <p>{text}</p>
      {attachments.some(({ mimeType }) => isImage(mimeType)) ? <Images item={item} sessionId={sessionId} /> : null}
      {attachments.map(({ name }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and the list never changes.
        <span key={at} className="attachment">
          <FileText className="icon" aria-hidden /> {name}
        </span>
      ))}
    </section>
  );
}

/** Attached images of a message; the ids come from its row. */
function Images({ item: { messageId, attachments }, sessionId }: { item: UserItem; sessionId: string }) {
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
    return isImage(mimeType) ? <UploadedImage key={id} id={id} name={name} /> : null;
  });
}

/** Fetched by script because image elements send no credential. */
function UploadedImage({ id, name }: { id: string; name: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const unmounted = new AbortController();
    let objectUrl: string | undefined;
    callBlob('downloadFile', { params: { id } }, unmounted.signal).then(
      (blob) => {
        if (unmounted.signal.aborted) return;
        objectUrl = URL.createObjectURL(blob);
        setUrl(objectUrl);
      },
      () => undefined,
    );
    return () => {
      unmounted.abort();
      if (objectUrl !== undefined) URL.revokeObjectURL(objectUrl);
    };
  }, [id]);
  return <img className="said-image" src={url} alt={name} />;
}

function Thinking({ item }: { item: ThinkingItem }) {
  const { text, isOpen, time, endedAt } = item;
  const [isUnfolded = false, setUnfolded] = useFold(item.key);
  useUnfoldFound(item, () => setUnfolded(true));
  const took = (endedAt ?? time) - time;
  const label = isOpen ? 'Thinking…' : took < 1000 ? 'Thought' : `Thought for ${durationOf(took)}`;
  return (
    <section className="thought">
      <button
        type="button"
        className="thought-head"
        aria-expanded={isUnfolded}
        onClick={() => setUnfolded(!isUnfolded)}
      >
        <ChevronRight className="icon tool-fold" aria-hidden />
        {label}
      </button>
      {isUnfolded ? <p>{text}</p> : null}
    </section>
  );
}

const PLAN_LABELS: Readonly<Record<PlanEntry['status'], string>> = {
  pending: 'to do',
  in_progress: 'in progress',
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
            <span className="hidden-text"> ({PLAN_LABELS[status]})</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function ErrorView({ item: { tone, title, message, hint, detail } }: { item: ErrorItem }) {
  const Icon = tone === 'error' ? CircleX : TriangleAlert;
  return (
    <section className="error-box" data-tone={tone}>
      <h3>
        <Icon className="icon" aria-hidden /> {title}
      </h3>
      <p>{message}</p>
      {hint === null ? null : <p className="muted">{hint}</p>}
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
  const isShown = base64 !== null && !base64.startsWith('[') && isImage(mimeType);
  return (
    <section className="file">
      {isShown ? <img src={`data:${mimeType};base64,${base64}`} alt={name} /> : null}
      <p>
        <FileText className="icon" aria-hidden /> {name} {path === null ? null : <code className="faint">{path}</code>}
      </p>
    </section>
  );
}

const TURN_LABELS: Readonly<Record<TurnItem['status'], string>> = {
  completed: '',
  failed: 'failed',
  interrupted: 'interrupted',
  max_turns: 'stopped: turn limit reached',
  refused: 'refused by the model',
};

function TurnEnd({ item: { status, durationMs, costUsd, isEstimated } }: { item: TurnItem }) {
  const parts = [TURN_LABELS[status], durationOf(durationMs), costUsd === null ? '' : moneyOf(costUsd, isEstimated)];
  return <p className="between">{parts.filter((part) => part !== '').join(' · ')}</p>;
}
