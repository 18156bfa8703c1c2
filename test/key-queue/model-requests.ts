export interface ModelNode {
  readonly name: string;
  readonly sequence: number;
  readonly czxid: bigint;
  readonly isOurs: boolean;
  /** Whether it has holder data: a process of this library created it. */
  readonly hasHolderData: boolean;
  /** The zxid of the write to it, if there was one. */
  writtenAt?: bigint;
}

/** What a client's `create` answers, and when: wire its czxid, native its path, and later both. */
export const MODEL_CLIENTS = ['wire', 'native'] as const;
export type ModelClient = (typeof MODEL_CLIENTS)[number];

export interface Creation {
  readonly rank?: number | undefined;
  readonly onSent?: (() => void) | undefined;
}

export interface Request {
  readonly run: () => unknown;
  readonly kind: 'create' | 'delete' | 'list' | 'other';
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
  readonly onSent?: (() => void) | undefined;
}
