import { Link } from 'wouter';
import { EmptyState } from '../components/empty-state.tsx';
import { PageTabs } from '../components/page-tabs.tsx';
import { useHasRole, useWhoami } from '../session/use-session.ts';
import { ApiKeys } from './account/api-keys.tsx';
import { ChangePassword } from './account/change-password.tsx';
import { ConnectedApps } from './account/connected-apps.tsx';
import { Sessions } from './account/sessions.tsx';
import { EnvironmentsPage } from './environments/environments-page.tsx';
import { NotificationsPage } from './notifications/notifications-page.tsx';
import { PeoplePage } from './people/people-page.tsx';
import { SystemPage } from './system/system-page.tsx';

const settingsPages = [
  ['environments', 'Environments', EnvironmentsPage],
  ['notifications', 'Notifications', NotificationsPage],
  ['people', 'People', PeoplePage],
  ['account', 'Your account', AccountPage],
  ['system', 'System', SystemPage],
] as const;

export default function SettingsPage({ pageName }: { pageName: string }) {
  const [, title, PageContent] = settingsPages.find(([name]) => name === pageName) ?? [];
  const isOwner = useHasRole('owner');
  const pages = settingsPages.filter(([name]) => name !== 'system' || isOwner);
  return (
    <div className="settings">
      <PageTabs label="Settings" pages={pages} current={pageName} toPath={(name) => `/settings/${name}`} />
      {title === undefined || PageContent === undefined ? (
        <EmptyState isPage title="Page not found">
          <title>Page not found · vp</title>
          <p>There is no page at this address.</p>
          <Link href="/settings/environments">Go to the environments</Link>
        </EmptyState>
      ) : (
        <div>
          <title>{`${title} · vp`}</title>
          <h1>{title}</h1>
          <PageContent />
        </div>
      )}
    </div>
  );
}

function AccountPage() {
  const hasPassword = useWhoami()?.person?.has_password === true;
  return (
    <>
      <Sessions />
      <ConnectedApps />
      <ApiKeys />
      {hasPassword && <ChangePassword />}
    </>
  );
}
