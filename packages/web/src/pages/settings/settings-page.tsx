import '../../styles/tables.css';
import '../../styles/settings.css';
import { Segments } from '../../parts/segments.tsx';
import { setPreferences, usePreferences } from '../../shell/preferences.ts';
import { BrowserNotificationsSection } from './browser-notifications-section.tsx';
import { BrowsersSection } from './browsers-section.tsx';
import { BudgetsSection } from './budgets-section.tsx';
import { KeptSection } from './kept-section.tsx';
import { LimitsSection } from './limits-section.tsx';
import { NotificationsSection } from './notifications-section.tsx';
import { PolicySection } from './policy-section.tsx';
import { SchedulesSection } from './schedules-section.tsx';

/** What decides, who is told, what begins by itself, what is kept, who is signed in; and how it looks. */
export function SettingsPage() {
  const { theme, density } = usePreferences();
  return (
    <div className="page settings-page">
      <header className="page-head">
        <h1>Settings</h1>
      </header>
      <div className="parts">
        <section aria-labelledby="looks">
          <h2 id="looks">Looks</h2>
          <p className="muted">Kept in this browser.</p>
          <div className="choice">
            <span>Theme</span>
            <Segments
              label="Theme"
              value={theme}
              choices={[
                ['system', 'As the system'],
                ['light', 'Light'],
                ['dark', 'Dark'],
              ]}
              onChange={(value) => setPreferences({ theme: value })}
            />
          </div>
          <div className="choice">
            <span>Density</span>
            <Segments
              label="Density"
              value={density}
              choices={[
                ['dense', 'Dense'],
                ['roomy', 'Roomy'],
              ]}
              onChange={(value) => setPreferences({ density: value })}
            />
          </div>
        </section>
        <PolicySection />
        <SchedulesSection />
        <BrowserNotificationsSection />
        <NotificationsSection />
        <LimitsSection />
        <BudgetsSection />
        <KeptSection />
        <BrowsersSection />
      </div>
    </div>
  );
}
