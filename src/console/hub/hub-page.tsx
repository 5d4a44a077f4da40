import { Link, Redirect } from 'wouter';
import type { Hub } from '../../contract/hubs/hubs-api.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { SideNavigation } from '../components/side-navigation.tsx';
import { hubPath } from '../paths.ts';
import { AuditPage } from './audit/audit-page.tsx';
import { ConnectClientPage } from './clients/connect-client-page.tsx';
import { ConnectionsPage } from './connections/connections-page.tsx';
import { useHubs, useRememberHub } from './current-hub.ts';
import { GeneralSettingsPage } from './general-settings-page.tsx';
import { MembersPage } from './members/members-page.tsx';
import { PolicyPage } from './policy/policy-page.tsx';
import { QueryContent } from './query-content.tsx';
import { TokensPage } from './tokens/tokens-page.tsx';
import { ToolsPage } from './tools/tools-page.tsx';
import { TryToolPage } from './try/try-tool-page.tsx';

const hubPages = [
  ['tokens', 'API Tokens', TokensPage],
  ['connect', 'Connect a client', ConnectClientPage],
  ['connections', 'Connections', ConnectionsPage],
  ['tools', 'Tools', ToolsPage],
  ['try', 'Try it', TryToolPage],
  ['policy', 'Policy', PolicyPage],
  ['audit', 'Audit', AuditPage],
  ['members', 'Members', MembersPage],
  ['general', 'General', GeneralSettingsPage],
] as const;

export default function HubPage({ slug, pageName }: { slug: string; pageName: string | undefined }) {
  if (pageName === undefined) return <Redirect to={hubPath(slug)} replace />;
  return <HubBySlug key={slug} slug={slug} pageName={pageName} />;
}

function HubBySlug({ slug, pageName }: { slug: string; pageName: string }) {
  const query = useHubs();
  useRememberHub(slug);
  return (
    <QueryContent query={query}>
      {(hubs) => {
        const hub = hubs.find((candidate) => candidate.slug === slug);
        return hub ? <HubContent hub={hub} pageName={pageName} /> : <HubNotFound slug={slug} />;
      }}
    </QueryContent>
  );
}

function HubContent({ hub, pageName }: { hub: Hub; pageName: string }) {
  const [, title, PageContent] = hubPages.find(([name]) => name === pageName) ?? [];
  return (
    <SideNavigation label="Manage" pages={hubPages} current={pageName} toPath={(name) => hubPath(hub.slug, name)}>
      {title === undefined || PageContent === undefined ? (
        <EmptyState title="Page not found" />
      ) : (
        <>
          <title>{`${title} · ${hub.name} · vp`}</title>
          <h1>
            {title} <span className="faint">{hub.name}</span>
          </h1>
          <PageContent hub={hub} />
        </>
      )}
    </SideNavigation>
  );
}

function HubNotFound({ slug }: { slug: string }) {
  return (
    <EmptyState title={`You are not a member of the hub ${slug}`}>
      <title>Hubs · vp</title>
      <p>Its address may have changed, or you may have left it. An owner of the hub can add you.</p>
      <Link href="/hubs">Your hubs</Link>
    </EmptyState>
  );
}
