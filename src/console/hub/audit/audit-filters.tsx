import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import type { Hub } from '../../../contract/hubs/hubs-api.ts';
import { Select } from '../../components/select.tsx';
import { useClient } from '../../session/client.ts';
import { auditTimeRanges } from './audit-query.ts';
import { callOutcomes } from './call-outcomes.ts';

type FilterOptions = readonly (readonly [value: string, text: string])[];

/** Every filter is stored in the address bar. */
export function AuditFilters({ hub: { slug, role } }: { hub: Hub }) {
  const { hubs } = useClient();
  const people = useQuery({
    queryKey: ['hub-members', slug],
    queryFn: ({ signal }) => hubs.listMembers(slug, { signal }),
    enabled: role === 'owner',
  });
  const tokens = useQuery({
    queryKey: ['hub-tokens', slug],
    queryFn: ({ signal }) => hubs.listTokens(slug, { signal }),
  });
  const connections = useQuery({
    queryKey: ['hub-connections', slug],
    queryFn: ({ signal }) => hubs.listConnections(slug, { signal }),
  });
  return (
    <fieldset className="filters">
      <legend className="visually-hidden">Filter</legend>
      <FilterChoice
        name="outcome"
        any="any outcome"
        options={Object.entries(callOutcomes).map(([person, [, text]]) => [person, text])}
      />
      {role === 'owner' ? (
        <FilterChoice
          name="person"
          any="any person"
          options={people.data?.map((token) => [token.person_id, token.name])}
        />
      ) : null}
      <FilterChoice name="token" any="any token" options={tokens.data?.map((token) => [token.token_id, token.name])} />
      <FilterChoice
        name="connection"
        any="any connection"
        options={connections.data?.map(({ name }) => [name, name])}
      />
      <FilterChoice
        name="since"
        any="any time"
        options={Object.keys(auditTimeRanges).map((span) => [span, `last ${span}`])}
      />
      <ToolField />
    </fieldset>
  );
}

/** Also lists a value from the address that no longer exists in the hub. */
function FilterChoice({ name, any, options = [] }: { name: string; any: string; options?: FilterOptions | undefined }) {
  const [search, setSearch] = useSearchParams();
  const value = search.get(name) ?? '';
  const unlistedOption: FilterOptions =
    value === '' || options.some(([option]) => option === value) ? [] : [[value, value]];
  const choose = (next: string): void =>
    setSearch((params) => {
      if (next === '') params.delete(name);
      else params.set(name, next);
      return params;
    });
  const label = name.charAt(0).toUpperCase() + name.slice(1);
  return (
    <Select
      hideLabel
      label={label}
      value={value}
      options={[['', any], ...options, ...unlistedOption]}
      onSelect={choose}
    />
  );
}

function ToolField() {
  const [search, setSearch] = useSearchParams();
  const value = search.get('tool') ?? '';
  return (
    <form
      key={value}
      onSubmit={(event) => {
        event.preventDefault();
        const tool = new FormData(event.currentTarget).get('tool');
        setSearch((params) => {
          if (typeof tool === 'string' && tool.trim() !== '') params.set('tool', tool.trim());
          else params.delete('tool');
          return params;
        });
      }}
    >
      <input
        className="tool-field"
        name="tool"
        aria-label="Tool"
        data-search
        placeholder="tool name"
        defaultValue={value}
        spellCheck={false}
        onBlur={({ currentTarget }) => currentTarget.value.trim() !== value && currentTarget.form?.requestSubmit()}
      />
    </form>
  );
}
