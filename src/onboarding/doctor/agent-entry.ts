/** Reads the entry of an instance in an agent's folder as the agent's client does. */
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { parse } from 'jsonc-parser';
import { getServerName, mcpFile, settingsFile } from '../agent-folders/server-entry.ts';
import { readUtf8 } from '../agent-folders/user-file.ts';

const ServerSchema = Type.Object({ url: Type.String(), headers: Type.Object({ Authorization: Type.String() }) });
const McpFile = Type.Object({ mcpServers: Type.Record(Type.String(), Type.Unknown()) });
const ClientSettings = Type.Object({ enabledMcpjsonServers: Type.Array(Type.String()) });

export type AgentEntry = { readonly url: string; readonly token: string };

/** Undefined without a usable entry. Throws FOLDER_FILE_UNREADABLE. */
export async function readAgentEntry(folder: string, instance: string): Promise<AgentEntry | undefined> {
  const servers = await readServers(folder);
  const server: unknown = servers[getServerName(instance)];
  if (!Value.Check(ServerSchema, server)) return undefined;
  const { url, headers }: Static<typeof ServerSchema> = server;
  return { url, token: headers.Authorization.replace(/^Bearer /, '') };
}

export async function listConnectedInstances(folder: string): Promise<readonly string[]> {
  const names = Object.keys(await readServers(folder));
  return names.filter((name) => name.startsWith(getServerName(''))).map((name) => name.slice(getServerName('').length));
}

async function readServers(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const value: unknown = parse((await readUtf8(join(folder, mcpFile))) ?? '', [], { allowTrailingComma: true });
  return Value.Check(McpFile, value) ? value.mcpServers : {};
}

/** True when the client's local settings let it start the server without a prompt. */
export async function isServerEnabled(folder: string, instance: string): Promise<boolean> {
  const text = await readUtf8(join(folder, settingsFile));
  const value: unknown = parse(text ?? '', [], { allowTrailingComma: true });
  return Value.Check(ClientSettings, value) && value.enabledMcpjsonServers.includes(getServerName(instance));
}
