import type { ComponentType } from 'react';
import { Link, Redirect } from 'wouter';
import type { Hub } from '../../contract/hubs/hubs-api.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { PageTabs } from '../components/page-tabs.tsx';
import { hubPath } from '../paths.ts';
import { ApprovalsPage } from './approvals/approvals-page.tsx';
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
import { UsagePage } from './usage/usage-page.tsx';

type HubPageEntry = readonly [name: string, title: string, Content: ComponentType<{ hub: Hub }>];

/** The rail lists the first page of each entry; the pages of one entry are tabs of each other. */
const hubPages: readonly (readonly HubPageEntry[])[] = [
  [['connections', 'Connections', ConnectionsPage]],
  [
    ['tools', 'Tools', ToolsPage],
    ['try', 'Try it', TryToolPage],
  ],
  [['approvals', 'Approvals', ApprovalsPage]],
  [['policy', 'Policy', PolicyPage]],
  [
    ['members', 'Members', MembersPage],
    ['general', 'General', GeneralSettingsPage],
  ],
  [
    ['tokens', 'API Tokens', TokensPage],
    ['connect', 'Connect a client', ConnectClientPage],
  ],
  [
    ['audit', 'Audit', AuditPage],
    ['usage', 'Usage', UsagePage],
  ],
];

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
  const siblings: readonly HubPageEntry[] = hubPages.find((pages) => pages.some(([name]) => name === pageName)) ?? [];
  const [, title, PageContent] = siblings.find(([name]) => name === pageName) ?? [];
  if (title === undefined || PageContent === undefined)
    return (
      <EmptyState isPage title="Page not found">
        <title>Page not found · vp</title>
        <p>There is no page at this address.</p>
        <Link href={hubPath(hub.slug)}>Go to the API tokens of {hub.name}</Link>
      </EmptyState>
    );
  return (
    <div className="settings">
      {siblings.length > 1 ? (
        <PageTabs
          label="Related pages"
          pages={siblings}
          current={pageName}
          toPath={(name) => hubPath(hub.slug, name)}
        />
      ) : null}
      <div>
        <title>{`${title} · ${hub.name} · vp`}</title>
        <h1>
          {title} <span className="faint">{hub.name}</span>
        </h1>
        <PageContent hub={hub} />
      </div>
    </div>
  );
}

function HubNotFound({ slug }: { slug: string }) {
  return (
    <EmptyState isPage title={`You are not a member of the hub ${slug}`}>
      <title>Hubs · vp</title>
      <p>Its address may have changed, or you may have left it. An owner of the hub can add you.</p>
      <Link href="/hubs">Your hubs</Link>
    </EmptyState>
  );
}
