import { Link, Redirect } from 'wouter';
import type { Hub } from '../../contract/hub-api.ts';
import { Empty } from '../parts/empty.tsx';
import { SidePages } from '../parts/side-pages.tsx';
import { hubPath } from '../shell/paths.ts';
import { Audit } from './audit.tsx';
import { Connections } from './connections.tsx';
import { useHubs, useRememberHub } from './current-hub.ts';
import { General } from './general.tsx';
import { Loaded } from './loaded.tsx';
import { Members } from './members.tsx';
import { Policy } from './policy/policy.tsx';
import { SetUp } from './set-up.tsx';
import { Tokens } from './tokens.tsx';
import { Tools } from './tools/tools.tsx';
import { TryIt } from './try/try-it.tsx';

const parts = [
  ['tokens', 'API Tokens', Tokens],
  ['connect', 'Connect a client', SetUp],
  ['connections', 'Connections', Connections],
  ['tools', 'Tools', Tools],
  ['try', 'Try it', TryIt],
  ['policy', 'Policy', Policy],
  ['audit', 'Audit', Audit],
  ['members', 'Members', Members],
  ['general', 'General', General],
] as const;

/** A hub's pages under Manage. */
export default function HubPage({ slug, part }: { slug: string; part: string | undefined }) {
  if (part === undefined) return <Redirect to={hubPath(slug)} replace />;
  return <Known key={slug} slug={slug} part={part} />;
}

function Known({ slug, part }: { slug: string; part: string }) {
  const query = useHubs();
  useRememberHub(slug);
  return (
    <Loaded query={query}>
      {(hubs) => {
        const hub = hubs.find((one) => one.slug === slug);
        return hub ? <Parts hub={hub} part={part} /> : <Unknown slug={slug} />;
      }}
    </Loaded>
  );
}

function Parts({ hub, part }: { hub: Hub; part: string }) {
  const [, title, Part] = parts.find(([name]) => name === part) ?? [];
  return (
    <SidePages label="Manage" pages={parts} shown={part} pathOf={(name) => hubPath(hub.slug, name)}>
      {title === undefined || Part === undefined ? (
        <Empty title="There is no such page of a hub" />
      ) : (
        <>
          <title>{`${title} · ${hub.name} · vp`}</title>
          <h1>
            {title} <span className="faint">{hub.name}</span>
          </h1>
          <Part hub={hub} />
        </>
      )}
    </SidePages>
  );
}

function Unknown({ slug }: { slug: string }) {
  return (
    <Empty title={`You belong to no hub ${slug}`}>
      <title>Hubs · vp</title>
      <p>It may have another address now, or you have left it. An owner of a hub adds people to it.</p>
      <Link href="/hubs">Your hubs</Link>
    </Empty>
  );
}
