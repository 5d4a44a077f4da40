/** Schemas from `.proto` files and from the descriptors of a server. */
import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor.js';
import { listImportPaths } from '../../scenario/proto-files.ts';
import type { ProtoFile } from '../../scenario/scenario.ts';
import { assertFieldCounts, assertReadableProto, countFields, type MessageDescriptor } from './schema-limits.ts';

/** google.protobuf.FileDescriptorProto. */
export const fileDescriptorType = descriptor.FileDescriptorProto;

/** Throws what is wrong with a file, with its name and line. */
export function parseProtoFiles(files: readonly ProtoFile[]): protobuf.Root {
  const root = new protobuf.Root();
  const paths = new Set(files.map(({ path }) => path));
  const imported = new Set<string>();
  for (const { path, text } of files) {
    const { imports = [], weakImports = [] } = parseFile(path, text, root);
    for (const name of [...imports, ...weakImports])
      if (!listImportPaths(name, path).some((each) => paths.has(each))) imported.add(name);
  }
  const missing = [...imported].filter((name) => !addBundledFile(root, name));
  try {
    root.resolveAll();
    return root;
  } catch (error) {
    const hint = missing.length === 0 ? '' : `; not found: ${missing.join(', ')}`;
    throw new Error(`${error instanceof Error ? error.message : String(error)}${hint}`);
  }
}

function parseFile(path: string, text: string, root: protobuf.Root): protobuf.IParserResult {
  try {
    assertReadableProto(text);
    return protobuf.parse(text, root);
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The files that every compiler of Protocol Buffers has. False for another one, which may hold options that nothing here needs. */
function addBundledFile(root: protobuf.Root, name: string): boolean {
  const isDescriptor = name === 'google/protobuf/descriptor.proto';
  const { google } =
    (isDescriptor ? descriptor.FileDescriptorProto.root.toJSON() : protobuf.common.get(name))?.nested ?? {};
  if (google) root.addJSON({ google });
  return google !== undefined;
}

function readMessages(file: protobuf.Message): readonly MessageDescriptor[] {
  return descriptor.FileDescriptorProto.toObject(file).messageType ?? [];
}

/** `descriptors`: serialized google.protobuf.FileDescriptorProto. */
export function parseDescriptors(descriptors: readonly Uint8Array[]): protobuf.Root {
  const file = descriptors.map((bytes) => descriptor.FileDescriptorProto.decode(bytes));
  assertFieldCounts(file.flatMap((message) => [...countFields(readMessages(message))]));
  const { FileDescriptorSet } = descriptor;
  return protobuf.Root.fromDescriptor(FileDescriptorSet.encode(FileDescriptorSet.create({ file })).finish());
}

/** What a serialized FileDescriptorProto is called, and which files it depends on. */
export function readDescriptorNames(bytes: Uint8Array): {
  readonly name: string;
  readonly dependencies: readonly string[];
} {
  const message = descriptor.FileDescriptorProto.decode(bytes);
  const { name, dependency } = descriptor.FileDescriptorProto.toObject(message, { arrays: true, defaults: true });
  return { name: String(name), dependencies: Array.isArray(dependency) ? dependency.map(String) : [] };
}
