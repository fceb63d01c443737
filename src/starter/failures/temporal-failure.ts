/** What Temporal has answered, or that it has not: for who does not load its client. */
export class TemporalFailure extends Error {
  override readonly name = 'TemporalFailure';
  readonly type: 'CLOSED' | 'NOT_FOUND' | 'REFUSED' | 'TEMPORAL_REFUSED' | 'TEMPORAL_UNREACHABLE';

  constructor(type: TemporalFailure['type'], message: string) {
    super(message);
    this.type = type;
  }
}
