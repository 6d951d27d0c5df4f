// Names of functions as they stand in addresses.

/** For each function its symbol, with a number where others have the same one. */
export class Names {
    private readonly keys: string[] = [];
    private readonly numbers = new Map<string, number>();

    constructor(symbols: string[]) {
        symbols.forEach((symbol, number) => {
            let key = symbol;
            for (let copy = 2; this.numbers.has(key); copy++) key = `${symbol}~${copy}`;
            this.keys.push(key);
            this.numbers.set(key, number);
        });
    }

    /** The number of a function by its name. */
    number(key: string): number | undefined {
        return this.numbers.get(key);
    }

    /** The name of a function. */
    key(number: number): string {
        return this.keys[number] ?? "";
    }
}
