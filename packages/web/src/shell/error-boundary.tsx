import { Component, type ReactNode } from 'react';
import { onReconnect } from '../data/rows.ts';
import { Button, Empty } from '../parts/small.tsx';

/** A page that fails takes nothing else with it. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  /** A part of the page that could not be loaded while the daemon was down: browsers never ask for a failed module again. */
  override componentDidCatch(error: unknown) {
    if (error instanceof TypeError && /import|module/i.test(error.message)) onReconnect(() => window.location.reload());
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <Empty title="This page has failed">
        <p className="mono">{error instanceof Error ? error.message : String(error)}</p>
        <p className="muted">Your sessions are not touched by it.</p>
        <div className="empty-actions">
          <Button look="next" onClick={() => window.location.reload()}>
            Load it again
          </Button>
        </div>
      </Empty>
    );
  }
}
