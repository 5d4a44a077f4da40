import { EmptyState } from '../components/empty-state.tsx';
import { SideNavigation } from '../components/side-navigation.tsx';
import { AccountPage } from './account/account-page.tsx';
import { EnvironmentsPage } from './environments/environments-page.tsx';
import { PeoplePage } from './people/people-page.tsx';

const settingsPages = [
  ['environments', 'Environments', EnvironmentsPage],
  ['people', 'People', PeoplePage],
  ['account', 'Your account', AccountPage],
] as const;

export default function SettingsPage({ pageName }: { pageName: string }) {
  const [, title, PageContent] = settingsPages.find(([name]) => name === pageName) ?? [];
  return (
    <SideNavigation label="Settings" pages={settingsPages} current={pageName} toPath={(name) => `/settings/${name}`}>
      {title === undefined || PageContent === undefined ? (
        <EmptyState title="Page not found" />
      ) : (
        <>
          <title>{`${title} · vp`}</title>
          <h1>{title}</h1>
          <PageContent />
        </>
      )}
    </SideNavigation>
  );
}
