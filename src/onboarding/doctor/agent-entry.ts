/** The entry of an instance in an agent's folder, read as the agent's client reads it. */
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { parse } from 'jsonc-parser';
import { mcpFile, settingsFile } from '../folders/connect.ts';
import { readText } from '../folders/own-file.ts';
import { entryName } from '../folders/server-entry.ts';

const Server = Type.Object({ url: Type.String(), headers: Type.Object({ Authorization: Type.String() }) });
const McpFile = Type.Object({ mcpServers: Type.Record(Type.String(), Type.Unknown()) });
const Settings = Type.Object({ enabledMcpjsonServers: Type.Array(Type.String()) });

/** Where the client calls, and with which token. */
export type AgentEntry = { readonly url: string; readonly token: string };

/** The entry of `instance`; undefined where there is none that can be used. Throws FOLDER_FILE_UNREADABLE. */
export async function agentEntry(folder: string, instance: string): Promise<AgentEntry | undefined> {
  const servers = await serversIn(folder);
  const server: unknown = servers[entryName(instance)];
  if (!Value.Check(Server, server)) return undefined;
  const { url, headers }: Static<typeof Server> = server;
  return { url, token: headers.Authorization.replace(/^Bearer /, '') };
}

/** The instances that a folder has entries of. */
export async function instancesIn(folder: string): Promise<readonly string[]> {
  const names = Object.keys(await serversIn(folder));
  return names.filter((name) => name.startsWith(entryName(''))).map((name) => name.slice(entryName('').length));
}

async function serversIn(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const value: unknown = parse((await readText(join(folder, mcpFile))) ?? '', [], { allowTrailingComma: true });
  return Value.Check(McpFile, value) ? value.mcpServers : {};
}

/** True when the client's local settings let it start the server without asking. */
export async function isEnabled(folder: string, instance: string): Promise<boolean> {
  const text = await readText(join(folder, settingsFile));
  const value: unknown = parse(text ?? '', [], { allowTrailingComma: true });
  return Value.Check(Settings, value) && value.enabledMcpjsonServers.includes(entryName(instance));
}
