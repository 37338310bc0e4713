// Edits of a sheet drawn at random, made by the editor's own functions; their operations are for the server's document.
async ([seed, rounds]) => {
    const { SheetModel } = await import("/build/scheme_model.js");
    const { SheetEdits } = await import("/build/scheme_edits.js");
    const { at, applyAll } = await import("/build/document.js");
    const { context } = sharnir;
    const described = new Map(context.blocks.map((block) => [block.type, block]));
    let state = seed;
    const random = (n) => (state = (state * 1103515245 + 12345) % 2147483648) % n;
    const pick = (list) => list[random(list.length)];
    const data = structuredClone(sharnir.document.data);
    const document = { data, at: (path) => at(data, path) };
    const places = new Map();
    const done = [];
    for (let round = 0; round < rounds; round += 1) {
        const model = new SheetModel(document, described, "");
        const edits = new SheetEdits(model);
        const boxes = model.boxes();
        for (const { id } of boxes) if (!places.has(id)) places.set(id, { x: random(900), y: random(600) });
        for (const id of [...places.keys()]) if (!boxes.some((box) => box.id === id)) places.delete(id);
        const ids = boxes.map(({ id }) => id);
        const blocks = context.blocks.filter(({ type, section }) => section === "block" && type !== "use");
        const acts = [
            () => edits.add("inputs", model.freeName("input"), { range: [-1, 1] }, { x: 0, y: 0 }, places),
            () => { const block = pick(blocks); return edits.add("blocks", model.freeName(block.type), edits.fresh(block), { x: 5, y: 5 }, places); },
            () => ids.length ? edits.remove(ids.filter(() => random(3) === 0)) : [],
            () => { if (!ids.length) return []; const id = pick(ids); const name = model.freeName("n"); places.set(id.split("/")[0] + "/" + name, places.get(id)); return edits.rename(id, name); },
            () => ids.length ? edits.duplicate([pick(ids)], places).operations : [],
            () => {
                const targets = boxes.filter(({ inputs }) => inputs.length);
                const sources = boxes.flatMap(({ outputs }) => outputs.map(({ signal }) => signal));
                if (!targets.length || !sources.length) return [];
                const target = pick(targets);
                return edits.connect(target.id, pick(target.inputs).port, pick(sources), "real");
            },
            () => { const wires = model.wires(boxes); if (!wires.length) return []; const wire = pick(wires); return edits.disconnect(wire.target, wire.port); },
            () => edits.note("remark", { x: random(100), y: random(100) }),
            () => edits.forgetPlaces(),
        ];
        const operations = pick(acts)();
        if (!operations.length) continue;
        applyAll(data, structuredClone(operations));
        done.push(operations);
        const after = new SheetModel(document, described, "");
        const open = new Set(after.boxes().map(({ id }) => id));
        for (const box of after.boxes(open)) for (const { port, wire } of box.inputs) {
            if (typeof wire === "string" && !after.sourceOf(wire)) throw new Error(`${box.id} ${port} is left at ${wire}`);
        }
    }
    return { done, data };
}
