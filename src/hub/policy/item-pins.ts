/** The pins of prompts, resources and resource templates. */
import { matchesUriTemplate } from '../gateway/uri-template.ts';
import type { ItemKind, PolicyRefusal, UpstreamConnection, UpstreamItem } from '../types.ts';
import { DefinitionPins, type DefinitionPinsDependencies, isApproved } from './definition-pins.ts';
import { definitionRefusals } from './definition-refusals.ts';
import { getItemKey } from './tool-definition.ts';

export type ItemPins = {
  readonly byKind: Readonly<Record<Exclude<ItemKind, 'tool'>, DefinitionPins>>;
  /** Pins a complete list, and returns the names, URIs or URI templates that may be used. */
  record(connection: UpstreamConnection, kind: ItemKind, items: readonly UpstreamItem[]): Promise<ReadonlySet<string>>;
  findPromptRefusal(connection: UpstreamConnection, name: string): Promise<PolicyRefusal | undefined>;
  /** `isListed`: its server lists it or has a template for it. */
  findResourceRefusal(
    connection: UpstreamConnection,
    uri: string,
    isListed: boolean,
  ): Promise<PolicyRefusal | undefined>;
};

/** Resources of a personal sign-in are one person's own: the other members of the hub must not read their names. */
function isPersonal({ credential }: UpstreamConnection, kind: ItemKind): boolean {
  return kind === 'resource' && credential.kind === 'oauth' && credential.sharing === 'per_user';
}

export function createItemPins(dependencies: DefinitionPinsDependencies): ItemPins {
  const prompts = new DefinitionPins(dependencies, 'prompt');
  const resources = new DefinitionPins(dependencies, 'resource');
  const templates = new DefinitionPins(dependencies, 'template');
  const byKind = { prompt: prompts, resource: resources, template: templates };
  return {
    byKind,
    async record(connection, kind, items) {
      const keys = items.map((item) => getItemKey(kind, item));
      if (kind === 'tool' || isPersonal(connection, kind)) return new Set(keys);
      const pins = await byKind[kind].record(connection, items);
      return new Set(keys.filter((key) => isUsable(pins.get(key))));
    },
    async findPromptRefusal({ id }, name) {
      return isUsable((await prompts.get(id)).get(name)) ? undefined : definitionRefusals.prompt;
    },
    async findResourceRefusal(connection, uri, isListed) {
      const pin = isPersonal(connection, 'resource') ? undefined : (await resources.get(connection.id)).get(uri);
      if (pin && !isApproved(pin)) return definitionRefusals.resource;
      if (pin || !isListed || isPersonal(connection, 'resource')) return undefined;
      const matching = [...(await templates.get(connection.id)).values()].filter(({ name }) =>
        matchesUriTemplate(name, uri),
      );
      if (matching.some(isApproved)) return undefined;
      return matching.length > 0 ? definitionRefusals.template : definitionRefusals.resource;
    },
  };
}

function isUsable(pin: Parameters<typeof isApproved>[0] | undefined): boolean {
  return pin !== undefined && isApproved(pin);
}
