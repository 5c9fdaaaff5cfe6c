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
import { durationOf } from '../../components/format.logic.ts';
import { Button, Scrolled } from '../../components/primitives.tsx';
import { showErrorToast } from '../../components/toasts.tsx';
import { callText } from '../../data/call.ts';
import type { ToolItem, ToolKind } from '../../data/items.ts';
import { useUnfoldFound } from './find/search-hits.ts';
import { useFold } from './folds.ts';
import { ItemView } from './item-view.tsx';
import { RequestView } from './request-view.tsx';
import { blobOf, type DiffLine, diffOf, imagesOf, subjectOf, textOf } from './tool.logic.ts';

const KINDS: Readonly<Record<ToolKind, { icon: LucideIcon; label: string }>> = {
  read: { icon: FileSearch, label: 'Read' },
  edit: { icon: FilePen, label: 'Edit' },
  delete: { icon: Trash2, label: 'Delete' },
  move: { icon: FolderInput, label: 'Move' },
  search: { icon: Search, label: 'Search' },
  execute: { icon: SquareTerminal, label: 'Run' },
  fetch: { icon: Globe, label: 'Fetch' },
  think: { icon: Brain, label: 'Think' },
  mcp: { icon: Plug, label: 'MCP' },
  other: { icon: Wrench, label: 'Tool' },
};

/** A tool call: one line, or all details when expanded. One that needs an answer is expanded. */
export const ToolCard = memo(function ToolCard({ item, sessionId }: { item: ToolItem; sessionId: string }) {
  const needsInput = item.request !== null && item.request.outcome === null;
  const diff = diffOf(item);
  const [chosen, setChosen] = useFold(item.key);
  useUnfoldFound(item, () => setChosen(true));
  // Show all details of a pending decision.
  const isOpen = chosen ?? (needsInput || item.status === 'failed' || diff.length > 0);
  const { icon: Icon, label } = item.subagent ? { icon: Bot, label: 'Agent' } : KINDS[item.toolKind];
  return (
    <section className="tool" data-status={needsInput ? 'asked' : item.status} aria-label={`${label}: ${item.name}`}>
      <button type="button" className="tool-head" aria-expanded={isOpen} onClick={() => setChosen(!isOpen)}>
        <ChevronRight className="icon tool-fold" aria-hidden />
        <Icon className="icon" aria-hidden />
        <span className="tool-word">{label}</span>
        <code className="cut tool-subject">{item.subagent?.name ?? subjectOf(item)}</code>
        <span className="tool-status">
          <Status item={item} needsInput={needsInput} />
        </span>
      </button>
      {item.request ? <RequestView request={item.request} sessionId={sessionId} /> : null}
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

function Status({ item, needsInput }: { item: ToolItem; needsInput: boolean }) {
  const took = item.endedAt === null || item.endedAt - item.time < 1000 ? '' : durationOf(item.endedAt - item.time);
  if (needsInput) return <>needs input</>;
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
      {imagesOf(item.output).map(({ mimeType, base64 }, at) => (
        <img
          // biome-ignore lint/suspicious/noArrayIndexKey: images have no other key and never move.
          key={at}
          className="said-image"
          src={`data:${mimeType};base64,${base64}`}
          alt={`Output of ${item.name}`}
        />
      ))}
      {blob && whole === undefined ? (
        <Button
          onClick={() => {
            callText('getBlob', { params: { sha256: blob.sha256 } }).then(setWhole, showErrorToast);
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
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other key and never move.
          <span key={at} data-kind={kind}>
            {MARKS[kind]} {text}
            {'\n'}
          </span>
        ))}
      </Scrolled>
    </>
  );
}
