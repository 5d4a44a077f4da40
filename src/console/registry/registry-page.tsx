import { Link, useSearchParams } from 'wouter';
import type { RegistryEntry } from '../../contract/registry/registry-api.ts';
import { Checklist } from '../components/checklist.tsx';
import { CommandLine, isControlPlaneLocal } from '../components/command-line.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { ServerDetails } from './server-details.tsx';
import { readRegistryStatus, useRegistryServers } from './use-registry.ts';

/** The search text and the selected server are stored in the address bar. */
export default function RegistryPage() {
  const [search] = useSearchParams();
  const name = search.get('server');
  return (
    <div className="settings">
      <title>{`${name ?? 'Registry'} · vp`}</title>
      <div>{name === null ? <ServerList search={search.get('search') ?? ''} /> : <ServerDetails name={name} />}</div>
    </div>
  );
}

function ServerList({ search }: { search: string }) {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useRegistryServers(search);
  const servers = data?.pages.flatMap((page) => page.servers) ?? [];
  return (
    <>
      <h1>Registry</h1>
      <p className="faint">
        MCP servers published here, under names whose domain ownership is proven. Owners of a hub can connect them with
        one click.
      </p>
      <SearchField search={search} />
      {error ? <ErrorNotice error={error} retry={refetch} /> : null}
      {isPending ? <Skeleton rows={6} label="Loading servers" /> : null}
      {data && servers.length === 0 ? <NoServers hasSearch={search !== ''} /> : null}
      <ul className="plain-list registry-list">
        {servers.map((entry) => (
          <ServerRow key={entry.server.name} entry={entry} search={search} />
        ))}
      </ul>
      {hasNextPage ? (
        <p className="actions">
          <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Load more
          </button>
        </p>
      ) : null}
    </>
  );
}

function SearchField({ search }: { search: string }) {
  const [, setSearch] = useSearchParams();
  return (
    <form
      key={search}
      className="registry-search"
      onSubmit={(event) => {
        event.preventDefault();
        const entered = new FormData(event.currentTarget).get('search');
        setSearch(typeof entered === 'string' && entered.trim() !== '' ? { search: entered.trim() } : {});
      }}
    >
      <input
        type="search"
        name="search"
        data-search
        aria-label="Search by name"
        placeholder="Part of a name  /"
        maxLength={200}
        defaultValue={search}
        spellCheck={false}
        autoComplete="off"
      />
      <button type="submit">Search</button>
    </form>
  );
}

function ServerRow({ entry, search }: { entry: RegistryEntry; search: string }) {
  const { server } = entry;
  const { status, updatedAt } = readRegistryStatus(entry);
  const query = new URLSearchParams({ ...(search === '' ? {} : { search }), server: server.name });
  return (
    <li>
      <span>
        <Link href={`/registry?${query}`} data-row>
          <b>{server.title ?? server.name}</b>
        </Link>{' '}
        {server.title === undefined ? null : <code className="faint">{server.name}</code>}
        <br />
        {server.description}
      </span>
      <span className="faint">
        {server.version}
        {status === 'active' ? '' : `, ${status}`}, <RelativeTime timestamp={updatedAt} />
      </span>
    </li>
  );
}

function NoServers({ hasSearch }: { hasSearch: boolean }) {
  if (hasSearch)
    return (
      <EmptyState title="No matching servers">
        <p>The search matches parts of names, such as a domain.</p>
        <Link href="/registry">Show all</Link>
      </EmptyState>
    );
  return (
    <EmptyState title="No servers published yet">
      <p>Anyone who proves ownership of a domain can publish under its name.</p>
      <Checklist
        steps={[
          { text: 'The operator allows a domain to publish here', isDone: false },
          { text: 'Prove that the domain is yours with a DNS record', isDone: false },
          { text: 'Publish the description of the server', isDone: false },
        ]}
      />
      <a href="/docs/how-to/registry">Publish in a registry, step by step</a>
      {isControlPlaneLocal() ? (
        <>
          <p className="faint">For example, to publish the hub of this control plane:</p>
          {/* A registry refuses addresses that others do not reach, such as that of this page. */}
          <CommandLine text="vp registry create hub --url https://vp.example.com --domain example.com > hub.json" />
          <CommandLine text={`vp registry publish hub.json --registry ${location.origin}`} />
        </>
      ) : null}
    </EmptyState>
  );
}
