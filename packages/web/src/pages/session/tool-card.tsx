import {
  Bot,
  Brain,
  ChevronRight,
  CircleCheck,
  CircleDashed,
  CircleX,
  FilePen,
  FileSearch,
  FolderInput,
  Globe,
  LoaderCircle,
  type LucideIcon,
  Plug,
  Search,
  ShieldX,
  SquareTerminal,
  Trash2,
  Wrench,
} from 'lucide-react';
import { memo, useState } from 'react';
import { callText } from '../../data/call.ts';
import type { ToolItem, ToolKind } from '../../data/items.ts';
import { durationOf } from '../../parts/format.logic.ts';
import { Button, Scrolled } from '../../parts/small.tsx';
import { tellFault } from '../../parts/toasts.tsx';
import { AskedView } from './asked-view.tsx';
import { useUnfoldFound } from './find/found-words.ts';
import { useFold } from './folds.ts';
import { ItemView } from './item-view.tsx';
import { blobOf, type DiffLine, diffOf, picturesOf, subjectOf, textOf } from './tool.logic.ts';

const KINDS: Readonly<Record<ToolKind, { icon: LucideIcon; word: string }>> = {
  read: { icon: FileSearch, word: 'Read' },
  edit: { icon: FilePen, word: 'Edit' },
  delete: { icon: Trash2, word: 'Delete' },
  move: { icon: FolderInput, word: 'Move' },
  search: { icon: Search, word: 'Search' },
  execute: { icon: SquareTerminal, word: 'Run' },
  fetch: { icon: Globe, word: 'Fetch' },
  think: { icon: Brain, word: 'Think' },
  mcp: { icon: Plug, word: 'MCP' },
  other: { icon: Wrench, word: 'Tool' },
};

/** A tool call in a line, and all of it when it is opened. What waits for an answer is open. */
export const ToolCard = memo(function ToolCard({ item, sessionId }: { item: ToolItem; sessionId: string }) {
  const isAsked = item.asked !== null && item.asked.outcome === null;
  const diff = diffOf(item);
  const [chosen, setChosen] = useFold(item.key);
  useUnfoldFound(item, () => setChosen(true));
  // What is to be decided on is seen whole.
  const isOpen = chosen ?? (isAsked || item.status === 'failed' || diff.length > 0);
  const { icon: Icon, word } = item.subagent ? { icon: Bot, word: 'Agent' } : KINDS[item.toolKind];
  return (
    <section className="tool" data-status={isAsked ? 'asked' : item.status} aria-label={`${word}: ${item.name}`}>
      <button type="button" className="tool-head" aria-expanded={isOpen} onClick={() => setChosen(!isOpen)}>
        <ChevronRight className="icon tool-fold" aria-hidden />
        <Icon className="icon" aria-hidden />
        <span className="tool-word">{word}</span>
        <code className="cut tool-subject">{item.subagent?.name ?? subjectOf(item)}</code>
        <span className="tool-status">
          <Status item={item} isAsked={isAsked} />
        </span>
      </button>
      {item.asked ? <AskedView asked={item.asked} sessionId={sessionId} /> : null}
      {isOpen ? (
        <div className="tool-body">
          {diff.length > 0 ? <Diff lines={diff} changes={item.changes} /> : <Input item={item} />}
          <Output item={item} />
          {item.subagent?.summary ? <p className="muted">{item.subagent.summary}</p> : null}
        </div>
      ) : null}
      {item.children.length > 0 && (isOpen || item.status === 'running') ? (
        <div className="tool-children">
          {item.children.map((child) => (
            <ItemView key={child.key} item={child} sessionId={sessionId} />
          ))}
        </div>
      ) : null}
    </section>
  );
});

function Status({ item, isAsked }: { item: ToolItem; isAsked: boolean }) {
  const took = item.endedAt === null || item.endedAt - item.time < 1000 ? '' : durationOf(item.endedAt - item.time);
  if (isAsked) return <>waits for you</>;
  switch (item.status) {
    case 'running':
      return (
        <>
          running <LoaderCircle className="icon spin" aria-hidden />
        </>
      );
    case 'denied':
      return (
        <>
          denied <ShieldX className="icon" aria-hidden />
        </>
      );
    case 'failed':
      return (
        <>
          failed{item.exitCode ? ` (${item.exitCode})` : ''} <CircleX className="icon" aria-hidden />
        </>
      );
    case 'unfinished':
      return (
        <>
          not finished <CircleDashed className="icon" aria-hidden />
        </>
      );
    default:
      return (
        <>
          {took} <CircleCheck className="icon" aria-label="done" />
        </>
      );
  }
}

function Input({ item: { input, partialInput, name, server, toolKind } }: { item: ToolItem }) {
  const command = typeof input === 'object' && input !== null && 'command' in input ? input.command : undefined;
  const text = toolKind === 'execute' && typeof command === 'string' ? `$ ${command}` : textOf(input) || partialInput;
  return (
    <>
      <p className="tool-label">{server === null ? name : `${server} · ${name}`}</p>
      {text === '' ? null : <Long text={text} label="Input" />}
    </>
  );
}

function Output({ item }: { item: ToolItem }) {
  const [whole, setWhole] = useState<string>();
  const blob = blobOf(item.output);
  const text = whole ?? (blob ? `${blob.preview}\n…` : textOf(item.output) || item.liveOutput);
  return (
    <>
      {item.error === null ? null : <p className="tool-error">{item.error}</p>}
      {text === '' ? null : <Long text={text} label="Output" />}
      {picturesOf(item.output).map(({ mimeType, base64 }, at) => (
        <img
          // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name, and never move.
          key={at}
          className="said-picture"
          src={`data:${mimeType};base64,${base64}`}
          alt={`Shown by ${item.name}`}
        />
      ))}
      {blob && whole === undefined ? (
        <Button
          onClick={() => {
            callText('readBlob', { params: { sha256: blob.sha256 } }).then(setWhole, tellFault);
          }}
        >
          Show all {blob.chars.toLocaleString()} characters
        </Button>
      ) : null}
    </>
  );
}

function Long({ text, label }: { text: string; label: string }) {
  return (
    <Scrolled className="tool-text" label={label}>
      {text}
    </Scrolled>
  );
}

const MARKS: Readonly<Record<DiffLine['kind'], string>> = { added: '+', removed: '-', same: ' ', head: '' };

function Diff({ lines, changes }: { lines: readonly DiffLine[]; changes: ToolItem['changes'] }) {
  return (
    <>
      {changes.map(({ path, change }) => (
        <p key={path} className="tool-label">
          {change} <code>{path}</code>
        </p>
      ))}
      <Scrolled className="diff" label="Change">
        {lines.map(({ kind, text }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and never move.
          <span key={at} data-kind={kind}>
            {MARKS[kind]} {text}
            {'\n'}
          </span>
        ))}
      </Scrolled>
    </>
  );
}
