/** A language server for scenarios on two streams (Language Server Protocol 3.17). It reads what the editor has, and writes no file. */

import {
  CodeActionKind,
  CodeActionRequest,
  CompletionRequest,
  DefinitionRequest,
  DidChangeTextDocumentNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  DidSaveTextDocumentNotification,
  DocumentFormattingRequest,
  ExitNotification,
  HoverRequest,
  InitializeRequest,
  type InitializeResult,
  PublishDiagnosticsNotification,
  ShutdownRequest,
  TextDocumentSyncKind,
} from 'vscode-languageserver-protocol';
import {
  createProtocolConnection,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { ParseOptions } from '../scenario/parse.ts';
import {
  type FeatureContext,
  findDefinition,
  toCodeActions,
  toCompletions,
  toDiagnostics,
  toFormatEdits,
  toHover,
} from './features.ts';

/** The files around a document, by its address. */
export type ScenarioFolder = {
  /** The text with the files that it uses. */
  embed(uri: string, text: string): string;
  /** The address of a file that a document names; undefined where there is none. */
  resolveFile(uri: string, name: string): string | undefined;
  /** The placeholders that scenarios may use; read again when a file is opened or saved. */
  readOptions(): Promise<ParseOptions>;
};

export type LanguageServerOptions = {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly folder: ScenarioFolder;
  readonly version: string;
};

class LanguageServer {
  readonly #connection: ProtocolConnection;
  readonly #folder: ScenarioFolder;
  readonly #version: string;
  readonly #documents = new Map<string, TextDocument>();
  #options: ParseOptions = { variables: 'any' };
  #hasSnippets = false;
  #isShutDown = false;

  constructor({ input, output, folder, version }: LanguageServerOptions) {
    this.#connection = createProtocolConnection(new StreamMessageReader(input), new StreamMessageWriter(output));
    this.#folder = folder;
    this.#version = version;
  }

  /** Resolves when the editor ends the session: true after an orderly shutdown. */
  run(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#connection.onNotification(ExitNotification.type, () => resolve(this.#isShutDown));
    this.#connection.onClose(() => resolve(this.#isShutDown));
    this.#listenToSession();
    this.#listenToDocuments();
    this.#answerRequests();
    this.#connection.listen();
    return promise.finally(() => this.#connection.dispose());
  }

  #listenToSession(): void {
    this.#connection.onRequest(InitializeRequest.type, async ({ capabilities }): Promise<InitializeResult> => {
      this.#hasSnippets = capabilities.textDocument?.completion?.completionItem?.snippetSupport === true;
      this.#options = await this.#folder.readOptions();
      return {
        serverInfo: { name: 'vp', version: this.#version },
        capabilities: {
          textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
          completionProvider: { triggerCharacters: ['#', '-', '$', '{', '|', ' '] },
          hoverProvider: true,
          definitionProvider: true,
          documentFormattingProvider: true,
          codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
        },
      };
    });
    this.#connection.onRequest(ShutdownRequest.type, () => {
      this.#isShutDown = true;
    });
  }

  #listenToDocuments(): void {
    this.#connection.onNotification(DidOpenTextDocumentNotification.type, async ({ textDocument }) => {
      const { uri, languageId, version, text } = textDocument;
      this.#documents.set(uri, TextDocument.create(uri, languageId, version, text));
      await this.#readOptions();
      this.#publish(uri);
    });
    this.#connection.onNotification(DidChangeTextDocumentNotification.type, ({ textDocument, contentChanges }) => {
      const document = this.#documents.get(textDocument.uri);
      if (!document) return;
      this.#documents.set(textDocument.uri, TextDocument.update(document, contentChanges, textDocument.version));
      this.#publish(textDocument.uri);
    });
    this.#connection.onNotification(DidSaveTextDocumentNotification.type, async () => {
      await this.#readOptions();
      for (const uri of this.#documents.keys()) this.#publish(uri);
    });
    this.#connection.onNotification(DidCloseTextDocumentNotification.type, ({ textDocument: { uri } }) => {
      this.#documents.delete(uri);
      void this.#connection.sendNotification(PublishDiagnosticsNotification.type, { uri, diagnostics: [] });
    });
  }

  #answerRequests(): void {
    this.#connection.onRequest(CompletionRequest.type, ({ textDocument, position }) => {
      const document = this.#documents.get(textDocument.uri);
      const { variables } = this.#options;
      const facts = { variables: variables === undefined || variables === 'any' ? [] : variables };
      return document ? toCompletions(document, document.offsetAt(position), facts, this.#hasSnippets) : [];
    });
    this.#connection.onRequest(HoverRequest.type, ({ textDocument, position }) => {
      const document = this.#documents.get(textDocument.uri);
      return (document && toHover(document, document.offsetAt(position))) ?? null;
    });
    this.#connection.onRequest(DocumentFormattingRequest.type, ({ textDocument: { uri } }) => {
      const document = this.#documents.get(uri);
      return document ? toFormatEdits(document, this.#createContext(uri)) : [];
    });
    this.#connection.onRequest(CodeActionRequest.type, ({ textDocument: { uri }, range }) => {
      const document = this.#documents.get(uri);
      return document ? toCodeActions(document, range, this.#createContext(uri)) : [];
    });
    this.#connection.onRequest(DefinitionRequest.type, ({ textDocument: { uri }, position }) => {
      const document = this.#documents.get(uri);
      const resolveFile = (name: string) => this.#folder.resolveFile(uri, name);
      return (document && findDefinition(document, document.offsetAt(position), resolveFile)) ?? null;
    });
  }

  async #readOptions(): Promise<void> {
    this.#options = await this.#folder.readOptions();
  }

  #createContext(uri: string): FeatureContext {
    return { embed: (text) => this.#folder.embed(uri, text), options: this.#options };
  }

  #publish(uri: string): void {
    const document = this.#documents.get(uri);
    if (!document) return;
    const diagnostics = toDiagnostics(document, this.#createContext(uri));
    void this.#connection.sendNotification(PublishDiagnosticsNotification.type, {
      uri,
      version: document.version,
      diagnostics,
    });
  }
}

export function runLanguageServer(options: LanguageServerOptions): Promise<boolean> {
  return new LanguageServer(options).run();
}
