import '../../../styles/changes.css';
import type { Session } from '@agent-mux/api/browser';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { FolderTree, GitCompare, RefreshCw } from 'lucide-react';
import { Button, Empty, IconButton } from '../../../components/primitives.tsx';
import { useQuery as useAddress } from '../../../components/router.tsx';
import { call } from '../../../data/call.ts';
import { useKeys } from '../../../shell/keys.ts';
import { Counts, DiffOfFile } from './file-diff.tsx';
import { TreeView } from './tree-view.tsx';
import { WhoseChanges } from './whose-changes.tsx';
import { WorktreeBar } from './worktree-bar.tsx';

/** Files up to these limits are expanded initially. */
const MAX_OPEN_FILES = 12;
const MAX_OPEN_LINES = 400;

/** Changes in the session's folder, and all its files. */
export function ChangesView({ session }: { session: Session }) {
  const { id, workspace, turns, activity } = session;
  const [what, setWhat] = useAddress('files');
  const diff = useQuery({
    // Refetch when a turn ends or the activity changes.
    queryKey: ['diff', id, turns, activity],
    queryFn: ({ signal }) => call('getDiff', { params: { id } }, signal),
    staleTime: 0,
    placeholderData: (before) => before,
  });
  const queries = useQueryClient();
  const reload = () => {
    void diff.refetch();
    void queries.invalidateQueries({ queryKey: ['worktree steps', id] });
  };
  useKeys([
    { keys: 'r', label: 'Refresh', group: 'Changes', run: reload },
    {
      keys: 't',
      label: 'Toggle changes and all files',
      group: 'Changes',
      run: () => setWhat(what === 'all' ? '' : 'all'),
    },
  ]);
  const worktree = workspace.kind === 'worktree' ? workspace : null;
  const files = diff.data?.files ?? [];
  const added = files.reduce((sum, file) => sum + (file.added ?? 0), 0);
  const removed = files.reduce((sum, file) => sum + (file.removed ?? 0), 0);
  if (worktree?.removed) {
    return (
      <Empty title="The worktree was removed">
        {worktree.savedRef === null ? null : (
          <p className="muted">
            Uncommitted work is saved on <code>{worktree.savedRef}</code>.
          </p>
        )}
      </Empty>
    );
  }
  return (
    <div className="changes">
      <div className="changes-bar">
        <Button look={what === 'all' ? 'quiet' : 'plain'} aria-pressed={what !== 'all'} onClick={() => setWhat('')}>
          <GitCompare />
          Changes
        </Button>
        <Button look={what === 'all' ? 'plain' : 'quiet'} aria-pressed={what === 'all'} onClick={() => setWhat('all')}>
          <FolderTree />
          All files
        </Button>
        <span className="grow" />
        {files.length > 0 ? (
          <span className="muted" role="status">
            {files.length} {files.length === 1 ? 'file' : 'files'} <Counts added={added} removed={removed} />
          </span>
        ) : null}
        <IconButton label="Refresh" onClick={reload}>
          <RefreshCw className={diff.isFetching ? 'spin' : ''} />
        </IconButton>
      </div>
      {what === 'all' ? null : <WhoseChanges session={session} base={diff.data?.base} />}
      {worktree ? (
        <WorktreeBar session={session} worktree={worktree} hasChanges={files.length > 0} onDone={reload} />
      ) : null}
      {what === 'all' ? (
        <TreeView sessionId={id} />
      ) : diff.error && !diff.data ? (
        <Empty title="Could not load the changes">
          <p className="muted">{diff.error.message}</p>
        </Empty>
      ) : !diff.data ? (
        <p className="loading">Loading…</p>
      ) : files.length === 0 ? (
        <Empty title="No changes">
          <p className="muted">
            {worktree ? 'The worktree matches its base commit.' : 'The folder matches the last commit.'}
          </p>
        </Empty>
      ) : (
        <div className="changes-files">
          {files.map((file, at) => (
            <DiffOfFile
              key={file.path}
              file={file}
              isOpen={at < MAX_OPEN_FILES && (file.added ?? 0) + (file.removed ?? 0) <= MAX_OPEN_LINES}
            />
          ))}
          {diff.data.truncated ? <p className="muted">More changes are not shown.</p> : null}
        </div>
      )}
    </div>
  );
}
