/** The pins of prompts, resources and resource templates. */

import type { ItemKind, UpstreamConnection, UpstreamItem } from '../connections/connection.ts';
import { matchesUriTemplate } from '../gateway/uri-template.ts';
import type { PolicyRefusal } from './call-policy.ts';
import {
  DefinitionPins,
  type DefinitionPinsDependencies,
  isApproved,
  isApprovedDefinition,
} from './definition-pins.ts';
import { definitionRefusals } from './definition-refusals.ts';
import { getItemKey } from './tool-definition.ts';

export type ItemPins = {
  readonly byKind: Readonly<Record<Exclude<ItemKind, 'tool'>, DefinitionPins>>;
  /** Pins a complete list, and returns the names, URIs or URI templates that may be used. */
  record(connection: UpstreamConnection, kind: ItemKind, items: readonly UpstreamItem[]): Promise<ReadonlySet<string>>;
  /** `original`: the prompt as its server lists it to the caller, if that is known. */
  findPromptRefusal(
    connection: UpstreamConnection,
    name: string,
    original?: UpstreamItem,
  ): Promise<PolicyRefusal | undefined>;
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
      if (kind === 'tool' || isPersonal(connection, kind)) return new Set(items.map((item) => getItemKey(kind, item)));
      return listApprovedKeys(await byKind[kind].record(connection, items), kind, items);
    },
    async findPromptRefusal({ id }, name, original) {
      const pin = (await prompts.get(id)).get(name);
      const isUsable = pin && (original ? isApprovedDefinition(pin, original) : isApproved(pin));
      return isUsable ? undefined : definitionRefusals.prompt;
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

/** Of items with the same key the first decides, because the catalogue offers that one. */
function listApprovedKeys(
  pins: Awaited<ReturnType<DefinitionPins['get']>>,
  kind: ItemKind,
  items: readonly UpstreamItem[],
): ReadonlySet<string> {
  const approved = new Map<string, boolean>();
  for (const item of items) {
    const key = getItemKey(kind, item);
    const pin = pins.get(key);
    if (!approved.has(key)) approved.set(key, pin !== undefined && isApprovedDefinition(pin, item));
  }
  return new Set([...approved.keys()].filter((key) => approved.get(key)));
}
