import { Link, useSearchParams } from 'wouter';
import type { RegistryEntry } from '../../contract/registry-api.ts';
import { Ago } from '../parts/ago.tsx';
import { Command } from '../parts/command.tsx';
import { Empty } from '../parts/empty.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { ServerView } from './server-view.tsx';
import { statusOf, useServers } from './use-registry.ts';

/** What the registry of this control plane has published; the search and the server looked at stand in the address. */
export default function RegistryPage() {
  const [search] = useSearchParams();
  const name = search.get('server');
  return (
    <div className="settings">
      <title>{`${name ?? 'Registry'} · vp`}</title>
      <div>{name === null ? <Servers search={search.get('search') ?? ''} /> : <ServerView name={name} />}</div>
    </div>
  );
}

function Servers({ search }: { search: string }) {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useServers(search);
  const servers = data?.pages.flatMap((page) => page.servers) ?? [];
  return (
    <>
      <h1>Registry</h1>
      <p className="faint">
        MCP servers that were published here, under names that provably belong to a domain. Owners of a hub connect them
        with a click.
      </p>
      <SearchField search={search} />
      {error ? <Problem error={error} retry={refetch} /> : null}
      {isPending ? <Skeleton rows={6} label="Loading servers" /> : null}
      {data && servers.length === 0 ? <None isSearched={search !== ''} /> : null}
      <ul className="plain-list registry-list">
        {servers.map((entry) => (
          <ServerRow key={entry.server.name} entry={entry} search={search} />
        ))}
      </ul>
      {hasNextPage ? (
        <p className="actions">
          <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            More
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
        const wanted = new FormData(event.currentTarget).get('search');
        setSearch(typeof wanted === 'string' && wanted.trim() !== '' ? { search: wanted.trim() } : {});
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
  const { status, updatedAt } = statusOf(entry);
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
        {status === 'active' ? '' : `, ${status}`}, <Ago at={updatedAt} />
      </span>
    </li>
  );
}

function None({ isSearched }: { isSearched: boolean }) {
  if (isSearched)
    return (
      <Empty title="No server is called like that">
        <p>The search looks at parts of names, such as a domain.</p>
        <Link href="/registry">Show all</Link>
      </Empty>
    );
  return (
    <Empty title="Nothing is published yet">
      <p>Whoever proves a domain publishes under its name. The hub of this control plane, for one:</p>
      <Command text={`vp registry make hub --url ${location.origin} --domain example.com > hub.json`} />
      <Command text={`vp registry publish hub.json --registry ${location.origin}`} />
      <p className="faint">
        The operator says with <code>vp serve --registry-domain example.com</code> whose domains may publish here.
      </p>
    </Empty>
  );
}
