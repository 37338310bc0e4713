// A person who tries the palette and the tools at random, by the page's own buttons. What leaves something wrong in the scene
// is undone, as it is told; all operations are for the server's document.
async ([seed, rounds]) => {
    const [MANY, LARGE] = [40, ["Robots", "Vehicle parts"]]; // where there are so many bodies, no whole robots come
    const { document: scene, context } = sharnir;
    const { selection, stage } = context;
    let state = seed;
    const random = (n) => ((state = (state * 1103515245 + 12345) % 2147483648) >>> 12) % n; // its low bits repeat soon
    const pick = (list) => list[random(list.length)];
    const named = (section) => Object.keys(scene.data[section] ?? {}).map((name) => `/${section}/${name}`);
    const done = [];
    const wrong = [];
    scene.subscribe(({ operations }) => operations?.length && done.push(structuredClone(operations)));
    const told = async () => {
        for (let i = 0; scene.pending.length || scene.checked !== scene.revision; i += 1) {
            if (i > 6000) throw new Error(`revision ${scene.revision} was never checked`);
            await new Promise((next) => setTimeout(next, 10));
        }
    };
    const undo = async () => {
        const { revision } = scene;
        if (scene.state.undo === null) return;
        scene.undo();
        while (scene.revision === revision) await new Promise((next) => setTimeout(next, 10));
        await told();
    };
    const button = (text) => [...document.querySelectorAll(".stage-tools button")].find((one) => one.textContent.startsWith(text)).click();
    const choose = () => {
        const [bodies, joints] = [named("bodies"), named("joints")];
        const wanted = pick([bodies.slice(-1), [pick(bodies), pick(bodies)], joints.slice(-1), [pick(joints)], [pick(joints), pick(bodies), pick(bodies)], [pick(joints), pick(joints)]]);
        selection.set(...new Set(wanted.filter(Boolean)));
    };
    const add = async () => {
        const isLarge = named("bodies").length > MANY;
        const group = pick([...document.querySelectorAll(".palette-group")].filter((one) => !isLarge || !LARGE.includes(one.firstChild.textContent)));
        const entry = pick([...group.querySelectorAll(".palette-item")]);
        entry.click();
        const dialog = document.querySelector("dialog[open]");
        if (dialog) {
            dialog.querySelector(".primary").click();
            for (let i = 0; i < 100 && dialog.open && dialog.querySelector(".wrong:not([hidden])") === null; i += 1) await new Promise((next) => setTimeout(next, 10));
            if (dialog.open) dialog.close();
            dialog.remove();
        }
        stage.picking.end();
        return entry.textContent;
    };
    const tools = ["Copy", "Mirror at x", "Mirror at y", "Align z", "Delete"];
    for (let round = 0; round < rounds; round += 1) {
        choose();
        const deed = pick([add, add, add, add, () => { const tool = pick(tools); button(tool); return tool; }, async () => { await undo(); return "undo"; }]);
        const what = await deed();
        await told();
        if (!scene.errors.length) continue;
        wrong.push([what, selection.list.join(), scene.errors[0].path, scene.errors[0].message]);
        await undo();
    }
    return { done, wrong, data: scene.data };
}
