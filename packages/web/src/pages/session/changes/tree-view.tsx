import type { OperationResponse } from '@agent-mux/api/browser';
import { useQuery } from '@tanstack/react-query';
import { ChevronRight, File, FileSymlink, Folder } from 'lucide-react';
import { useState } from 'react';
import { sizeOf } from '../../../components/format.logic.ts';
import { Scrolled } from '../../../components/primitives.tsx';
import { call, callText } from '../../../data/call.ts';

type Entry = OperationResponse<'listTree'>['entries'][number];

/** Larger files are not loaded. */
const MAX_BYTES = 1_000_000;

/** The files of the workspace. Each folder is loaded when it is opened. */
export function TreeView({ sessionId }: { sessionId: string }) {
  const [shown, setShown] = useState<Entry>();
  return (
    <div className="tree-frame">
      <nav className="tree" aria-label="Files">
        <FolderEntries sessionId={sessionId} path="" chosen={shown?.path} onChoose={setShown} />
      </nav>
      <div className="tree-file">
        {shown ? (
          <FileText key={shown.path} sessionId={sessionId} entry={shown} />
        ) : (
          <p className="muted">Choose a file to view it.</p>
        )}
      </div>
    </div>
  );
}

interface FolderProps {
  sessionId: string;
  path: string;
  chosen: string | undefined;
  onChoose(entry: Entry): void;
}

function FolderEntries({ sessionId, path, chosen, onChoose }: FolderProps) {
  const tree = useQuery({
    queryKey: ['tree', sessionId, path],
    queryFn: ({ signal }) =>
      call('listTree', { params: { id: sessionId }, query: path === '' ? {} : { path } }, signal),
    staleTime: 5_000,
  });
  if (tree.error) return <p className="tool-error">{tree.error.message}</p>;
  if (!tree.data) return <p className="faint">Loading…</p>;
  return (
    <ul>
      {tree.data.entries.map((entry) => (
        <TreeEntry key={entry.path} {...{ sessionId, entry, chosen, onChoose }} />
      ))}
      {tree.data.truncated ? <li className="faint">more entries not listed</li> : null}
      {tree.data.entries.length === 0 ? <li className="faint">empty</li> : null}
    </ul>
  );
}

function TreeEntry({ entry, ...rest }: Omit<FolderProps, 'path'> & { entry: Entry }) {
  const [isOpen, setOpen] = useState(false);
  if (entry.kind !== 'folder') {
    const Icon = entry.kind === 'link' ? FileSymlink : File;
    return (
      <li>
        <button
          type="button"
          className="tree-entry"
          aria-current={rest.chosen === entry.path}
          disabled={entry.kind !== 'file'}
          onClick={() => rest.onChoose(entry)}
        >
          <Icon className="icon" aria-hidden />
          <span className="cut">{entry.name}</span>
        </button>
      </li>
    );
  }
  return (
    <li>
      <button type="button" className="tree-entry" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ChevronRight className="icon tool-fold" aria-hidden />
        <Folder className="icon" aria-hidden />
        <span className="cut">{entry.name}</span>
      </button>
      {isOpen ? <FolderEntries {...rest} path={entry.path} /> : null}
    </li>
  );
}

function FileText({ sessionId, entry }: { sessionId: string; entry: Entry }) {
  const isLarge = (entry.bytes ?? 0) > MAX_BYTES;
  const text = useQuery({
    queryKey: ['file', sessionId, entry.path, entry.modifiedAt],
    queryFn: ({ signal }) =>
      callText('getWorkspaceFile', { params: { id: sessionId }, query: { path: entry.path } }, signal),
    enabled: !isLarge,
  });
  return (
    <>
      <p className="tool-label">
        <code>{entry.path}</code> {entry.bytes === null ? '' : sizeOf(entry.bytes)}
      </p>
      {isLarge ? <p className="muted">File too large to display.</p> : null}
      {text.error ? <p className="tool-error">{text.error.message}</p> : null}
      {text.data === undefined ? null : text.data.includes('\0') ? (
        <p className="muted">Binary file.</p>
      ) : (
        <Scrolled className="tree-text" label={entry.path}>
          {text.data}
        </Scrolled>
      )}
    </>
  );
}
