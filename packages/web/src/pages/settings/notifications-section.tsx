import type { DaemonSettingsView, NotifyRule } from '@agent-mux/api/browser';
import { useQuery as useAnswer } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Age, Button } from '../../components/primitives.tsx';
import { showErrorToast } from '../../components/toasts.tsx';
import { call } from '../../data/call.ts';
import { notifyRuleText, withoutTarget } from './fields.logic.ts';
import { NotifyRuleDialog } from './notify-rule-dialog.tsx';
import { TargetDialog } from './target-dialog.tsx';
import { useMutation } from './use-mutation.ts';
import { useChangeSettings, useSettings } from './use-settings.ts';

const SHOWN = 20;

type Target = DaemonSettingsView['notify']['targets'][number];
type OpenDialog = { what: 'target'; target: Target | undefined } | { what: 'rule'; at: number } | null;

/** Targets and rules of notifications outside this page, and the log of sent ones. */
export function NotificationsSection() {
  const { data: settings, error } = useSettings();
  const change = useChangeSettings();
  const mutate = useMutation('notifications');
  const [dialog, setDialog] = useState<OpenDialog>(null);
  if (error) return <ErrorMessage error={error} />;
  if (!settings) return null;
  const { targets, rules } = settings.notify;
  const names = [...new Set(['desktop', ...targets.map(({ name }) => name)])];
  const close = () => setDialog(null);
  const saveRules = (next: NotifyRule[], done: string) => change({ notify: { rules: next } }, done);
  const showRefusal = async (refused: Promise<string | null>) => {
    const message = await refused;
    if (message !== null) showErrorToast(new Error(message));
  };
  const removeTarget = (name: string) => {
    const left = withoutTarget(rules, name);
    const isNamed = left.length !== rules.length || left.some((rule, at) => rule.to.length !== rules[at]?.to.length);
    const notify = { targets: { [name]: null }, ...(isNamed ? { rules: left } : {}) };
    return showRefusal(change({ notify }, `Target ${name} removed`));
  };
  const test = (target: string) =>
    mutate(async () => {
      const { notifications: sent } = await call('testNotification', { body: { target } });
      for (const { outcome, error: failure } of sent)
        if (outcome !== 'sent') throw new Error(`${target}: ${failure?.message ?? outcome}`);
    }, `${target} received a test notification`);
  return (
    <section aria-labelledby="notifications">
      <h2 id="notifications">Notifications</h2>
      <p className="muted">Send notifications outside this page. Targets say where, rules say what.</p>
      {targets.length === 0 ? <p>No targets yet.</p> : null}
      <ul className="entries" aria-label="Targets">
        {targets.map((target) => (
          <li key={target.name} className="entry" data-step tabIndex={-1}>
            <div className="entry-main">
              <span className="entry-title">{target.name}</span>
              <span className="muted">
                {target.type === 'desktop' ? 'desktop of the daemon’s machine' : `${target.type} ${target.destination}`}
              </span>
            </div>
            <span className="entry-actions">
              <Button aria-label={`Test ${target.name}`} onClick={() => void test(target.name)}>
                Test
              </Button>
              {target.type === 'desktop' ? null : (
                <Button
                  aria-label={`Change the target ${target.name}`}
                  onClick={() => setDialog({ what: 'target', target })}
                >
                  Change
                </Button>
              )}
              <Button aria-label={`Remove the target ${target.name}`} onClick={() => void removeTarget(target.name)}>
                Remove
              </Button>
            </span>
          </li>
        ))}
      </ul>
      <ul className="entries" aria-label="Notification rules">
        {rules.map((rule, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rules have no other key.
          <li key={at} className="entry" data-step tabIndex={-1}>
            <div className="entry-main">{notifyRuleText(rule)}</div>
            <span className="entry-actions">
              <Button
                aria-label={`Change the rule for ${rule.to.join(', ')}`}
                onClick={() => setDialog({ what: 'rule', at })}
              >
                Change
              </Button>
              <Button
                aria-label={`Remove the rule for ${rule.to.join(', ')}`}
                onClick={() => void showRefusal(saveRules(rules.toSpliced(at, 1), 'Rule removed'))}
              >
                Remove
              </Button>
            </span>
          </li>
        ))}
      </ul>
      <div className="entry-actions">
        <Button onClick={() => setDialog({ what: 'target', target: undefined })}>
          <Plus />
          Add a target
        </Button>
        <Button onClick={() => setDialog({ what: 'rule', at: -1 })}>
          <Plus />
          Add a rule
        </Button>
      </div>
      <NotificationLog />
      {dialog?.what === 'target' ? (
        <TargetDialog
          target={dialog.target}
          taken={names}
          onSave={(name, patch, withRule) => {
            const more = withRule ? { rules: [...rules, { to: [name] }] } : {};
            return change({ notify: { targets: { [name]: patch }, ...more } }, `Target ${name} saved`);
          }}
          onClose={close}
        />
      ) : null}
      {dialog?.what === 'rule' ? (
        <NotifyRuleDialog
          rule={rules[dialog.at]}
          targets={names}
          onSave={(rule) => saveRules(dialog.at < 0 ? [...rules, rule] : rules.with(dialog.at, rule), 'Rule saved')}
          onClose={close}
        />
      ) : null}
    </section>
  );
}

/** The latest notifications and their outcome. */
function NotificationLog() {
  const list = useAnswer({
    queryKey: ['notifications'],
    queryFn: ({ signal }) => call('listNotifications', { query: { limit: SHOWN } }, signal),
    staleTime: 0,
  });
  if (list.error) return <ErrorMessage error={list.error} />;
  const { notifications = [], problems = [] } = list.data ?? {};
  return (
    <>
      {problems.map((problem) => (
        <ErrorMessage key={problem} error={new Error(problem)} />
      ))}
      {notifications.length === 0 ? null : (
        <details>
          <summary>Last {notifications.length} notifications</summary>
          <ul className="entries">
            {notifications.map(({ id, target, title, outcome, createdAt, error }) => (
              <li key={id} className="entry">
                <div className="entry-main">
                  <span>{title}</span>
                  <span className="muted">
                    {target}: {outcome}
                    {error ? `, ${error.message}` : ''}
                  </span>
                </div>
                <Age time={createdAt} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
